// Every call of a run to its store gets lost, one after the other.
//
// A Worker asks a database and a bucket that are somewhere else. The question may get lost
// on the way there, and then nothing has happened; or the answer on the way back, and then
// everything has. The Worker sees the same error both times. Taking the one for the other
// publishes an answer twice, counts a revision that nobody sees, or leaves an item in
// nobody's hands.
//
// So the run of a day is played once without disturbance, to learn its calls and its end.
// Then it is played again for each of the calls, of which this one gets lost, on its way
// there and on its way back. Then every answer from that call on gets lost, as in an outage.
// One more run, after all leases and waits are over, must find or make the same end every time.

import { same, sameRows } from "../checks.mjs";
import { PASS, Wire, numbersOf, title } from "../wire.mjs";
import { COMPENSATE, PUBLISH, withSites } from "../sites.mjs";
import { lasting, putBack, take } from "../state.mjs";
import { FETCHED, WORKERS, fill, isDone, work } from "./days_work.mjs";

/** In the short form, every so many-th call; and an outage, which takes long, from the last commit on. */
const SPARSE = 4;

export async function lostAnswers({ build, host, full }) {
  const wire = new Wire();
  await withSites({ build, workers: WORKERS, wire }, async (sites) => {
    await fill(sites, host);
    const morning = await take(sites);

    wire.heed(PASS);
    host.forget();
    const runs = await work(sites, PUBLISH, "site");
    const calls = wire.calls;
    const evening = await lasting(sites);
    same("an undisturbed day ends with everything done", await isDone(sites), true);

    const table = [];
    const play = async (what, disturbed, chosen, isSingle) => {
      const row = { "what gets lost": what, cases: 0, "done at once": 0, "done later": 0, "calls more": 0, ms: Date.now() };
      for (const n of full ? numbers : chosen) {
        await putBack(sites, morning);
        host.forget();
        wire.heed((call, number) => disturbed(number, n));
        await work(sites, PUBLISH, "site", runs);
        row["calls more"] += wire.calls.length - calls.length;
        wire.heed(PASS);
        row.cases += 1;
        row[(await isDone(sites)) ? "done at once" : "done later"] += 1;
        await work(sites, COMPENSATE, "site-later", runs);
        const place = `call ${n} of ${calls.length} (${title(calls[n - 1])}), ${what}`;
        sameRows(`${place}: the day ends as undisturbed`, await lasting(sites), evening);
        if (isSingle) same(`${place}: no photo is fetched twice`, FETCHED.map((id) => host.times(`/photo/${id}`)), [1, 1]);
        same(`${place}: the site verifies`, await sites.admin("site-later", "GET", "/verify"), { ok: true, violations: [] });
      }
      table.push({ ...row, ms: Date.now() - row.ms });
    };
    const numbers = Array.from(calls, (_, i) => i + 1);
    const some = numbers.filter((n) => n % SPARSE === 1);
    const commit = numbersOf(calls, "commit/publish_page").at(-1);
    const only = (fate) => (number, n) => (number === n ? fate : "pass");
    await play("a call on its way", only("lost on the way"), some, true);
    await play("an answer", only("answer lost"), some, true);
    await play("every answer from a call on", (number, n) => (number >= n ? "answer lost" : "pass"), [commit], false);
    console.table(table);
  });
}
