// What publishing a page asks of others, and how many pages a run affords.
//
// A run has costs of its own, whatever it finds. So it is measured twice, with one page to
// publish and with five: the difference is what four pages cost, and the rest is the run's.
// A page has no photo; or it has one that was prepared on its day, as it usually is; or one
// that has to be fetched in between.

import { same } from "../checks.mjs";
import { fill } from "../ledger.mjs";
import { DAY, puzzle } from "../puzzles.mjs";
import { COMPENSATE, PUBLISH, withSites } from "../sites.mjs";
import { Wire } from "../wire.mjs";
import { costs, report } from "./counts.mjs";
import { SITE } from "./requests.mjs";

const FEW = 1;
const MANY = 5;
/** More than any run on a free plan publishes. */
const BACKLOG = 6;
const FREE = "site-free";
/** What the free plan grants an invocation. */
const FREE_CALLS = { FENCEPOST_QUERY_BUDGET: "50" };
/** What a run forgets is a matter of its day, and not of its pages. */
const FORGETS_NOTHING = { FENCEPOST_KEEP_RUNS_DAYS: "0" };

/** The puzzle played so many days ago. */
const numbered = (days) => 200_000 + days;

const daysAgo = (days) => `${SITE}-${days}`;

const READY = "page published, photo ready";
/** The Workers of some days, where pages need one on their own. */
const onTheirDays = (of, days) => (of === READY ? days.map((day) => [daysAgo(day), { ...FORGETS_NOTHING, ahead: -day * DAY }]) : []);

/** How a page comes by its photo, and what is done for it before it is due. */
const FLAVOURS = {
  [READY]: async (sites, host, days) => {
    // The older the day, the later its turn: nothing of what was prepared before is due then.
    for (const day of days) {
      await load(sites, daysAgo(day), [puzzle(numbered(day), day, `${host.url}/photo/${day}`)]);
      await sites.fire(COMPENSATE, [daysAgo(day)]);
    }
    const { source_images } = await sites.rows("source_images");
    const ready = source_images.filter(({ puzzle_id, state }) => days.includes(puzzle_id - numbered(0)) && state === "ready");
    same("every photo is prepared", ready.length, days.length);
  },
  "page published, no photo": (sites, host, days) => load(sites, SITE, days.map((day) => puzzle(numbered(day), day))),
  "page published, photo fetched": (sites, host, days) =>
    load(sites, SITE, days.map((day) => puzzle(numbered(day), day, `${host.url}/photo/${day}`))),
};

const load = (sites, name, puzzles) => sites.admin(name, "POST", "/puzzles", { puzzles });

/** `count` days, the latest of them `first` days ago. */
const daysFrom = (first, count) => Array.from({ length: count }, (_, i) => first + i);

/** Counts on a ledger of `size` answers; every case ends in `suffix`. */
export async function countPublishing({ build, host, size, figures, suffix = "" }) {
  const all = daysFrom(1, FEW + MANY);
  for (const [of, prepare] of Object.entries(FLAVOURS)) {
    const wire = new Wire();
    const workers = { [SITE]: FORGETS_NOTHING, ...Object.fromEntries(onTheirDays(of, all)) };
    await withSites({ build, workers, wire, tapped: true }, async (sites) => {
      await fill(sites, size);
      const [few, many] = [all.slice(0, FEW), all.slice(FEW)];
      const publish = () => published(sites, wire, SITE);
      if (of === READY) report(figures, `run that finds nothing${suffix}`, costs((await publish()).calls));
      await prepare(sites, host, few);
      const little = await publish();
      await prepare(sites, host, many);
      const much = await publish();
      same(`${of}: all are out`, [little.pages, much.pages], [FEW, MANY]);
      const { page, run } = apart(costs(little.calls), costs(much.calls));
      report(figures, of + suffix, page);
      report(figures, `run around ${of}${suffix}`, run);
    });
  }
}

/** What a page costs, and what a run costs beside its pages, by what two runs cost. */
function apart(little, much) {
  const units = Object.keys(much);
  const page = Object.fromEntries(units.map((unit) => [unit, (much[unit] - (little[unit] ?? 0)) / (MANY - FEW)]));
  const run = Object.fromEntries(units.map((unit) => [unit, much[unit] - MANY * page[unit]]));
  return { page, run };
}

/** How many pages of a backlog one run on the free plan publishes. */
export async function countPagesOfARun({ build, host, figures }) {
  const days = daysFrom(1, BACKLOG);
  for (const [of, prepare] of Object.entries(FLAVOURS)) {
    const wire = new Wire();
    const workers = { [SITE]: {}, [FREE]: FREE_CALLS, ...Object.fromEntries(onTheirDays(of, days)) };
    await withSites({ build, workers, wire, tapped: true }, async (sites) => {
      await prepare(sites, host, days);
      const { pages, calls } = await published(sites, wire, FREE);
      const { queries, "r2 calls": r2, "fetch calls": fetches } = costs(calls);
      same(`${of}: the run keeps within its calls`, queries + r2 + fetches <= Number(FREE_CALLS.FENCEPOST_QUERY_BUDGET), true);
      figures.add(`run on the free plan: ${of}`, "worker", "pages", pages);
    });
  }
}

/** Fires the cron; tells its calls, and how many pages came out. */
async function published(sites, wire, name) {
  const revision = async () => (await sites.rows("site_state")).site_state[0].publication_revision;
  const before = await revision();
  const calls = await wire.callsOf(() => sites.fire(PUBLISH, [name]));
  return { calls, pages: (await revision()) - before };
}
