// A run is killed at each of its calls to the store.
//
// A process can end at any instruction, but what it leaves behind depends only on which of
// its calls were made. So it is killed before each call, after each call, and while each
// call is under way, with a SIGKILL for all of workerd, database included. What the store
// holds then must be what it held before that call or after it, and nothing between: a batch
// is made or is not made. A new process, after the dead one's leases are over, then makes
// the same end as an undisturbed day.

import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { same, sameRows } from "../checks.mjs";
import { NOW } from "../puzzles.mjs";
import { COMPENSATE, PUBLISH, start, withSites } from "../sites.mjs";
import { lasting } from "../state.mjs";
import { PASS, Wire, numbersOf, title } from "../wire.mjs";
import { WORKERS, fill, isDone, work } from "./days_work.mjs";

/** After all leases and waits. */
const LATER = NOW + 900_000;
/** In the short form, the first call whose batch begins with this. */
const CHOSEN = "commit/publish_page";
/** How long a call that is to be cut off may have been under way, in milliseconds. */
const UNDER_WAY = [1, 2];

export async function killed({ build, host, full }) {
  const folder = await mkdtemp(path.join(tmpdir(), "fencepost-killed-"));
  try {
    await killedIn(folder, { build, host, full });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function killedIn(folder, { build, host, full }) {
  const morning = path.join(folder, "morning");
  await withSites({ build, workers: WORKERS, persist: morning }, (sites) => fill(sites, host));

  const day = path.join(folder, "undisturbed");
  await cp(morning, day, { recursive: true });
  const wire = new Wire();
  const options = { build, workers: { site: {} }, persist: day };
  const { calls, runs, evening } = await withSites({ ...options, wire }, async (sites) => {
    wire.heed(PASS);
    const runs = await work(sites, PUBLISH, "site");
    return { calls: wire.calls, runs, evening: await lasting(sites) };
  });

  const table = {};
  const chosen = full ? Array.from(calls, (_, i) => i + 1) : [numbersOf(calls, CHOSEN)[0]];
  for (const n of chosen) {
    const place = (when) => `killed ${when} call ${n} of ${calls.length} (${title(calls[n - 1])})`;
    /** One day of which the first run is killed; answers with what the store held then. */
    const play = async (when, fate, delay) => {
      const begun = Date.now();
      const copy = path.join(folder, "copy");
      await cp(morning, copy, { recursive: true });
      host.forget();
      await killedAt(n, fate, delay, { ...options, persist: copy }, runs);
      const left = await withSites({ ...options, persist: copy, now: LATER }, async (sites) => {
        const left = await lasting(sites);
        await work(sites, COMPENSATE, "site", runs);
        same(`${place(when)}: everything is done in the end`, await isDone(sites), true);
        sameRows(`${place(when)}: the day ends as undisturbed`, await lasting(sites), evening);
        same(`${place(when)}: the site verifies`, await sites.admin("site", "GET", "/verify"), { ok: true, violations: [] });
        return left;
      });
      await rm(copy, { recursive: true });
      const row = (table[when] ??= { cases: 0, "as before the call": 0, "as after it": 0, "it only reads": 0, ms: 0 });
      row.cases += 1;
      row.ms += Date.now() - begun;
      return { row, left };
    };
    const before = await play("before", "hangs on the way");
    const after = await play("after", "answer hangs");
    const reads = isDeepStrictEqual(before.left, after.left);
    before.row[reads ? "it only reads" : "as before the call"] += 1;
    after.row[reads ? "it only reads" : "as after it"] += 1;
    for (const delay of full ? UNDER_WAY : [1]) {
      const { row, left } = await play("during", "answer hangs", delay);
      const isAs = (other) => isDeepStrictEqual(left, other.left);
      if (!isAs(before) && !isAs(after)) sameRows(`${place("during")}: what is left is what was before, or after`, left, before.left);
      row[reads ? "it only reads" : isAs(after) ? "as after it" : "as before the call"] += 1;
    }
  }
  console.table(table);
}

/**
 * Kills the process at the `n`-th call of its `runs` runs: when it hangs, or `delay`
 * milliseconds after it began. It hangs in any case, so that no call is made after this one.
 */
async function killedAt(n, fate, delay, options, runs) {
  const wire = new Wire();
  const sites = await start({ ...options, wire });
  try {
    const dead = new Promise((resolve) => {
      const kill = () => resolve(sites.kill());
      if (delay === undefined) wire.hung().then(kill);
      wire.heed((call, number) => {
        if (number === n && delay !== undefined) setTimeout(kill, delay);
        return number === n ? fate : "pass";
      });
    });
    const day = work(sites, PUBLISH, "site", runs).then(() => "at its end", () => "cut off");
    await Promise.race([dead, day]);
    same("a run that is killed answers nothing", await day, "cut off");
  } finally {
    await sites.stop();
  }
}
