// A site with work to do, of every kind that a run may meet: an answer without a photo, one
// whose photo is stored, one whose photo is to be fetched, one that was corrected before it
// was due, and the puzzle of the day, whose photo is prepared ahead.

import { same } from "../checks.mjs";
import { DAY, puzzle } from "../puzzles.mjs";
import { COMPENSATE } from "../sites.mjs";

/** The Workers that it takes: one of now, one of yesterday, and one after all leases and waits. */
export const WORKERS = {
  site: {},
  "site-yesterday": { ahead: -DAY, unwired: true },
  "site-later": { ahead: 900_000, unwired: true },
};

/** The answers that are due, in the order of their instants, and the puzzle of the day. */
export const DUE = [1101, 1102, 1103, 1104];
export const TODAY = 1105;

/** Those whose photos a day's work fetches. */
export const FETCHED = [1102, TODAY];

/** Fills the bank. */
export async function fill(sites, host) {
  const photo = (id) => `${host.url}/photo/${id}`;
  // Yesterday it was the puzzle of the day.
  await sites.admin("site-yesterday", "POST", "/puzzles", { puzzles: [puzzle(1104, 1, photo(1104))] });
  await sites.fire(COMPENSATE, ["site-yesterday"]);
  const others = [puzzle(1101, 4), puzzle(1102, 3, photo(1102)), puzzle(1103, 2), puzzle(TODAY, 0, photo(TODAY))];
  await sites.admin("site", "POST", "/puzzles", { puzzles: others });
  const corrected = { ...puzzle(1103, 2), price_cents: 4242, description: "It was **another** thing." };
  await sites.admin("site", "POST", "/puzzles", { puzzles: [corrected] });
  const { publication_items, source_images, puzzles } = await sites.rows("publication_items", "source_images", "puzzles");
  same("nothing is out", publication_items.filter((item) => item.state !== "scheduled"), []);
  same("one photo is stored", source_images.map((image) => [image.puzzle_id, image.state]), [[1104, "ready"]]);
  same("one row was corrected", puzzles.filter((row) => row.bank_version === 2).map((row) => row.puzzle_id), [1103]);
}

/** Whether everything is done. */
export async function isDone(sites) {
  const { publication_items, source_images } = await sites.rows("publication_items", "source_images");
  const out = publication_items.filter((item) => item.state === "published").length;
  const ready = source_images.filter((image) => image.state === "ready").length;
  return out === DUE.length && ready === 3;
}

/** The most runs that it may take: a run may leave a part of its work to the next. */
const MOST_RUNS = 8;

/** Fires a cron until everything is done, `runs` times at most; answers with how many it took. */
export async function work(sites, cron, name, runs = MOST_RUNS) {
  for (let run = 1; run <= runs; run += 1) {
    same(`the cron of ${name} breaks nothing`, await sites.fire(cron, [name]), ["ok"]);
    if (await isDone(sites)) return run;
  }
  return undefined;
}
