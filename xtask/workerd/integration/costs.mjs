// What a day costs, on a ledger of ten answers and on one of a hundred thousand.
//
// A database that bills by rows, and that answers one question at a time, makes a statement
// that scans a table a fault of its own kind: one that grows with every day of the site's
// life, and that no test on a small table sees. So every statement's own account of the rows
// that it read and wrote is added up, for everything that happens every day, on a small
// ledger and on a large one. Both must cost the same; only a list that is not full yet may
// cost less, and is compared from fifty answers on. The sitemap is not full before it has ten
// thousand answers, and costs what it lists. What is asked for again comes from the cache,
// and costs the one look at time and revision that nobody is spared.

import { same } from "../checks.mjs";
import { RECENT, fill } from "../ledger.mjs";
import { DAY, puzzle } from "../puzzles.mjs";
import { COMPENSATE, PUBLISH, withSites } from "../sites.mjs";
import { PASS, Wire, nameOf, total } from "../wire.mjs";

const [SMALL, LIST_IS_FULL] = [10, 50];
/** In the full form alone: it takes a while to fill. */
const LARGE = 100_000;

/** What a run forgets costs as much as there is to forget, up to some rows per run: that is left out. */
const FORGETS_NOTHING = { FENCEPOST_KEEP_RUNS_DAYS: "0" };

/** Their numbers, the same on every ledger: a number is longer if it is larger. */
const [PLAIN, READY, FETCHED, TODAY] = [200_001, 200_002, 200_003, 200_004];

const [LIST, FEED, SITEMAP] = ["the list of answers", "the feed", "the sitemap"];
/** What the sitemap lists at most. */
const LISTED = 10_000;
const AGAIN = ", again";
/** What a request costs that the cache answers, at most. */
const HIT = { statements: 1, read: 5 };
const TITLES = ["runs and actions", "requests"];

export async function costs({ build, host, full }) {
  const sizes = [SMALL, LIST_IS_FULL, ...(full ? [LARGE] : [])];
  const measured = [];
  for (const size of sizes) measured.push(await measure(build, host, size));
  for (const title of TITLES) {
    const table = {};
    for (const [i, { of }] of measured[0][title].entries()) {
      const all = measured.map((measures) => measures[title][i]);
      table[of] = row(all);
      if (of === SITEMAP) {
        for (const [i, { read }] of all.entries()) same(`${of} with ${sizes[i]} answers costs what it lists`, read < 4 * Math.min(sizes[i] + RECENT, LISTED), true);
        continue;
      }
      const grows = [LIST, FEED].some((name) => of.startsWith(name));
      const compared = grows ? all.slice(1) : all;
      for (const cost of compared) same(`${of} costs the same on every ledger`, cost, compared[0]);
    }
    console.log(`What ${title} cost with ${sizes.join(", ")} answers:`);
    console.table(table);
  }
}

/** What something costs; where the ledgers differ, on each of them. */
function row(costs) {
  const all = (what) => {
    const [first, ...others] = new Set(costs.map((cost) => cost[what]));
    return others.length === 0 ? first : [first, ...others].join(", ");
  };
  const columns = { calls: "calls", statements: "statements", "rows read": "read", "rows written": "written", bucket: "bucket" };
  return Object.fromEntries(Object.entries(columns).map(([title, what]) => [title, all(what)]));
}

async function measure(build, host, items) {
  const wire = new Wire();
  const workers = { site: FORGETS_NOTHING, "site-yesterday": { ...FORGETS_NOTHING, ahead: -DAY } };
  return withSites({ build, workers, wire }, async (sites) => {
    await fill(sites, items);
    if (items <= SMALL) await verifies(sites);
    const photo = (id) => `${host.url}/photo/${id}`;
    const done = [];
    const take = async (of, act, less) => {
      wire.heed(PASS);
      await act();
      const cost = total(wire.calls);
      const shown = Object.fromEntries(Object.entries(cost).map(([what, count]) => [what, count - (less?.[what] ?? 0)]));
      done.push({ of, ...shown, statementsRun: spent(wire.calls) });
      return cost;
    };
    const load = (row, name = "site") => sites.admin(name, "POST", "/puzzles", { puzzles: [row] });
    const run = (cron, name = "site") => () => sites.fire(cron, [name]);

    const nothing = await take("a run that finds nothing to do", run(COMPENSATE, "site-yesterday"));
    await take("an import of one puzzle", () => load(puzzle(READY, 1, photo(READY)), "site-yesterday"));
    await take("a photo prepared ahead", run(COMPENSATE, "site-yesterday"), nothing);
    await take("a page whose photo is ready", run(PUBLISH), nothing);
    await load(puzzle(PLAIN, 5));
    await take("a page without a photo", run(PUBLISH), nothing);
    await load(puzzle(FETCHED, 4, photo(FETCHED)));
    await take("a page whose photo is fetched", run(PUBLISH), nothing);
    await take("a withdrawal", () => sites.admin("site", "POST", `/items/${PLAIN}/withdraw`));
    await take("a reinstatement", () => sites.admin("site", "POST", `/items/${PLAIN}/reinstate`));
    await load({ ...puzzle(PLAIN, 5), price_cents: 4242 });
    await take("an update", () => sites.admin("site", "POST", `/items/${PLAIN}/republish`));
    await load(puzzle(TODAY, 0));
    const asked = await requests(sites, wire);
    await allOut(sites, items);
    return { "runs and actions": done, requests: asked };
  });
}

async function requests(sites, wire) {
  const done = [];
  const ask = async (path, headers) => {
    wire.heed(PASS);
    const response = await sites.ask("site", path, { headers });
    return { response, text: await response.text() };
  };
  /** An answer is kept behind the reader's back, so the next one may come too early for it. */
  const hit = async (path, headers) => {
    for (let tries = 1; ; tries += 1) {
      const answer = await ask(path, headers);
      if (wire.calls.length === 1 || tries === 20) return answer;
    }
  };
  const take = async (of, path, status, headers = {}) => {
    for (const time of ["", AGAIN]) {
      const { response, text } = time === AGAIN ? await hit(path, headers) : await ask(path, headers);
      same(`${of} is answered`, response.status, status);
      done.push({ of: of + time, ...total(wire.calls), statementsRun: spent(wire.calls) });
      if (time === AGAIN) return { etag: response.headers.get("etag"), text };
    }
  };
  await take("the home page", "/", 200);
  await take(LIST, "/answers", 200);
  await take(FEED, "/feed.xml", 200);
  await take(SITEMAP, "/sitemap.xml", 200);
  const { text } = await take("an answer", `/answers/${READY}`, 200);
  const { etag } = await take("an answer without a photo", `/answers/${PLAIN}`, 200);
  await take("an answer that the client has", `/answers/${PLAIN}`, 304, { "if-none-match": etag });
  await take("an answer that is not due", `/answers/${TODAY}`, 404);
  const [image] = text.match(/\/images\/[0-9a-f]{64}\.png/);
  const { etag: tag } = await take("a photo", image, 200);
  await take("a photo that the client has", image, 304, { "if-none-match": tag });
  const isHit = ({ of, statements, read, bucket }) =>
    !of.endsWith(AGAIN) || (statements === HIT.statements && read <= HIT.read && bucket === 0);
  same("what is asked for again costs a look and no more", done.filter((cost) => !isHit(cost)), []);
  await take("a number never used", "/answers/987654321", 404);
  return done;
}

/** What each statement cost, for whoever looks for the one that grew. */
function spent(calls) {
  const batches = calls.filter((call) => call.binding === "DB");
  return batches.flatMap((call) => call.statements.map((sql, i) => `${nameOf(sql)} ${call.rows[i].read}/${call.rows[i].written}`));
}

/** A check of all that is stored takes a look at every photo, so one ledger has to do. */
async function verifies(sites) {
  const { violations } = await sites.admin("site", "GET", "/verify");
  same("the ledger verifies, but for its photos", violations.filter(({ rule }) => rule !== "missing_photo"), []);
}

/** What was measured took place. */
async function allOut(sites, items) {
  const { site_state, commit_receipts } = await sites.rows("site_state", "commit_receipts");
  const measured = commit_receipts.filter((receipt) => receipt.puzzle_id > items);
  const kinds = measured.sort((a, b) => a.revision - b.revision).map((receipt) => `${receipt.kind} ${receipt.puzzle_id}`);
  const published = [READY, PLAIN, FETCHED].map((id) => `publish ${id}`);
  same("everything took place", kinds, [...published, ...["withdraw", "reinstate", "update"].map((kind) => `${kind} ${PLAIN}`)]);
  same("each change has its revision", site_state[0].publication_revision, items + kinds.length);
}
