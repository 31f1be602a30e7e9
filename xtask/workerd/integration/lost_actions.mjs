// Every call of an operator's action to the store gets lost, one after the other.
//
// An operator who is told "the database gave no answer" does what everybody does: the same
// again. That must be harmless if the first one took place, and must do it if it did not.
// So each action is played once without disturbance; then, for each of its calls, with this
// one lost on its way there or back, or with everything lost from this one on, and then once
// more undisturbed. The end must be the same as that of twice without disturbance: a page
// withdrawn twice has gone up one version, and the site one revision.

import { same, sameRows } from "../checks.mjs";
import { NOW, DAY, puzzle } from "../puzzles.mjs";
import { PUBLISH, withSites } from "../sites.mjs";
import { lasting, putBack, take } from "../state.mjs";
import { PASS, Wire, title } from "../wire.mjs";
import { TODAY, WORKERS, fill, work } from "./days_work.mjs";

/** In the short form, every so many-th call. */
const SPARSE = 5;

const act = (id, action, body) => ["POST", `/items/${id}/${action}`, body];
const edit = (row) => ["POST", "/puzzles", { puzzles: [row] }];
const edited = { ...puzzle(1103, 2), price_cents: 777 };

/** What is done, after what, and by how much it raises the site's revision. */
const ACTIONS = [
  { does: "withdraw a page", action: act(1102, "withdraw"), raises: 1 },
  { does: "withdraw what is not out", action: act(TODAY, "withdraw"), raises: 0 },
  { does: "reinstate a page", after: [act(1102, "withdraw")], action: act(1102, "reinstate"), raises: 1 },
  { does: "reinstate what was not out", after: [act(TODAY, "withdraw")], action: act(TODAY, "reinstate"), raises: 0 },
  { does: "republish a corrected page", after: [edit(edited)], action: act(1103, "republish"), raises: 1 },
  { does: "republish what is overdue", after: [edit(puzzle(1100, 9))], action: act(1100, "republish"), raises: 1 },
  { does: "reschedule", action: act(TODAY, "reschedule", { due_at: new Date(NOW + 2 * DAY).toISOString() }), raises: 0 },
  { does: "import", action: edit(edited), raises: 0 },
  { does: "pause", action: ["POST", "/pause"], raises: 0 },
];

/** What gets lost of an action, whose call `n` it begins with. */
const LOSSES = [
  { loses: "a call on its way", fate: (number, n) => (number === n ? "lost on the way" : "pass") },
  { loses: "an answer", fate: (number, n) => (number === n ? "answer lost" : "pass") },
  { loses: "every answer from a call on", fate: (number, n) => (number >= n ? "answer lost" : "pass"), isSlow: true },
];

export async function lostActions({ build, host, full }) {
  const wire = new Wire();
  await withSites({ build, workers: WORKERS, wire }, async (sites) => {
    await fill(sites, host);
    await work(sites, PUBLISH, "site");
    const evening = await take(sites);
    const revision = async () => (await sites.rows("site_state")).site_state[0].publication_revision;

    const table = [];
    for (const { does, after = [], action, raises } of ACTIONS) {
      await putBack(sites, evening);
      for (const earlier of after) await sites.admin("site", ...earlier);
      const before = await take(sites);
      const revisionBefore = await revision();
      wire.heed(PASS);
      await sites.admin("site", ...action);
      const calls = [...wire.calls];
      await sites.admin("site", ...action);
      const end = await lasting(sites);
      same(`to ${does}, twice, raises the revision`, (await revision()) - revisionBefore, raises);

      const row = { "an operator may": does, calls: calls.length, cases: 0, "done at once": 0, "told to look": 0 };
      for (const { loses, fate, isSlow } of LOSSES) {
        if (isSlow && !full) continue;
        for (let n = 1; n <= calls.length; n += full ? 1 : SPARSE) {
          await putBack(sites, before);
          wire.heed((call, number) => fate(number, n));
          const { status } = await sites.tryAdmin("site", ...action);
          wire.heed(PASS);
          const place = `to ${does}, losing ${loses}, ${n} (${title(calls[n - 1])})`;
          same(`${place}: it is done, or nobody knows`, [200, 503].includes(status) || status, true);
          row.cases += 1;
          row[status === 200 ? "done at once" : "told to look"] += 1;
          same(`${place}: the same again`, (await sites.tryAdmin("site", ...action)).status, 200);
          sameRows(`${place}: the end`, await lasting(sites), end);
          same(`${place}: the site verifies`, await sites.admin("site-later", "GET", "/verify"), { ok: true, violations: [] });
        }
      }
      table.push(row);
    }
    console.table(table);
  });
}
