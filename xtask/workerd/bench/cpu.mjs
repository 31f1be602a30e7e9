// How much of a processor a request takes.
//
// The process that runs Workers here is also their database, their bucket and their cache,
// and passes each request on to the Worker that it is for. So each figure is what a request
// takes of the process, less what a request takes that a Worker answers with "ok". That
// still counts what elsewhere other machines do, so it is the most that the Worker can have
// taken, and the one to hold against a limit.
//
// Beside it stand "the same calls": a few lines of JavaScript that make exactly the calls that
// the Worker makes for this request, recorded before, with a body of the same length. And "the
// Worker alone" is the difference of the two: routing, decoding, rendering, and the way
// between Rust and the platform. For what writes there is no such comparison: the same
// calls again would write nothing.
//
// All of them take turns, so that whatever disturbs the machine disturbs all. The first turn
// is not counted: the compiler is still at work then. Whether hits were hits, the Worker's
// own metrics say.

import { same } from "../checks.mjs";
import { puzzle } from "../puzzles.mjs";
import { PUBLISH, TOKEN, withSites } from "../sites.mjs";
import { Wire } from "../wire.mjs";
import { callsOf } from "./counts.mjs";
import { spentDuring } from "./processor.mjs";
import { SITE, kindsOfRequests, stocked } from "./requests.mjs";

const REPLAY = "replay";
const ELSEWHERE = "http://replay.example";
const MILLISECONDS = "ms cpu";
/** How many pages a run publishes whose processor time is measured. */
const PAGES = 8;

/** What is measured in the short form: what most readers ask, what players send, and the least and the most. */
const OFTEN = ["answer hit", "answer miss", "home hit", "home miss", "image hit", "guess", "result", "healthz", "dashboard overview"];
/** How many requests one of those who take turns sends before the next one's turn. */
const TURN = 10;

/** Measures `rounds` rounds of `requests` requests of each kind, or of those asked for most often alone. */
export async function measureProcessor({ build, host, size, rounds, requests, onlyOften, figures }) {
  const recorded = (await record(build, host, size)).filter(({ of }) => !onlyOften || OFTEN.includes(of));
  await withSites({ build, workers: { [SITE]: {} }, helpers: { [REPLAY]: "bench/replay_worker.mjs" } }, async (sites) => {
    await stocked(sites, host, size);
    const kinds = new Map((await kindsOfRequests(sites)).map((kind) => [kind.of, kind]));
    const cases = recorded.map(({ of, kind, calls }) => ({ of, kind: kinds.get(kind.of), calls, path: `/${of.replaceAll(" ", "-")}` }));
    await teach(sites, cases);
    for (let round = 0; round <= rounds; round += 1) {
      for (const it of cases) {
        const { worker, calls, nothing } = await measure(sites, it, round, requests);
        const add = (subject, value) => round > 0 && figures.add(it.of, subject, MILLISECONDS, value);
        add("worker", worker - nothing);
        if (calls === undefined) continue;
        add("the same calls", calls - nothing);
        add("the Worker alone", worker - calls);
      }
    }
  });
}

/** What the Worker asks for, for each kind of request, on a site like the one that is measured. */
async function record(build, host, size) {
  const wire = new Wire();
  return withSites({ build, workers: { [SITE]: {} }, wire, tapped: true }, async (sites) => {
    await stocked(sites, host, size);
    return callsOf(sites, wire, await kindsOfRequests(sites), 0);
  });
}

/** Teaches the other Worker the calls of each case, and how long its answer is. */
async function teach(sites, cases) {
  const scripts = {};
  for (const { kind, calls, path } of cases) {
    const response = await sites.ask(SITE, kind.path, await kind.init("to-teach"));
    scripts[path] = { calls, bytes: (await response.arrayBuffer()).byteLength };
  }
  await sites.ask(REPLAY, "/learn", { method: "POST", body: JSON.stringify(scripts) });
}

const isMiss = ({ of }) => of.endsWith(" miss");
const isHit = ({ of }) => of.endsWith(" hit");

/** What a miss is found by is new each time, and what a hit is found by is not. */
const mark = (it, round, nth) => (isMiss(it) ? `?${round}-${nth}` : "");

/** Milliseconds per request of all that take turns; that each request is what the case says, is checked. */
async function measure(sites, it, round, requests) {
  const { of, kind, path } = it;
  const inits = [];
  for (let nth = 0; nth < requests; nth += 1) inits.push(await kind.init(`${round}-${nth}`));
  const origin = (nth) => `http://${path.slice(1).toLowerCase()}${isMiss(it) ? `-${round}-${nth}` : ""}.example`;
  const contenders = {
    worker: { status: kind.status, request: (nth) => [origin(nth), SITE, kind.path, inits[nth]] },
    ...(!kind.writes && { calls: { status: 200, request: (nth) => [ELSEWHERE, REPLAY, path + mark(it, round, nth)] } }),
    nothing: { status: 200, request: () => [ELSEWHERE, REPLAY, "/"] },
  };
  if (isHit(it)) await isKept(sites, it, origin(0));
  const before = await cacheUses(sites);
  const spent = await takeTurns(sites, requests, contenders);
  const after = await cacheUses(sites);
  const expected = { hit: isHit(it) ? requests : 0, miss: isMiss(it) ? requests : 0 };
  same(`${of}: all were`, { hit: after.hit - before.hit, miss: after.miss - before.miss }, expected);
  return spent;
}

/** Milliseconds per request of each contender. */
async function takeTurns(sites, requests, contenders) {
  const spent = Object.fromEntries(Object.keys(contenders).map((name) => [name, 0]));
  for (let first = 0; first < requests; first += TURN) {
    for (const [name, { status, request }] of Object.entries(contenders)) {
      spent[name] += await spentDuring(sites.pid, async () => {
        for (let nth = first; nth < first + TURN; nth += 1) await answered(sites, request(nth), status);
      });
    }
  }
  return Object.fromEntries(Object.entries(spent).map(([name, all]) => [name, all / requests]));
}

async function answered(sites, request, status) {
  const response = await sites.askAt(...request);
  await response.arrayBuffer();
  if (response.status !== status) throw new Error(`${request[2]}: ${response.status} instead of ${status}`);
}

/** Asks until the cache has it: it is kept behind the answer's back. */
async function isKept(sites, { of, kind }, origin) {
  for (let tries = 0; tries < 20; tries += 1) {
    const { hit } = await cacheUses(sites);
    await (await sites.askAt(origin, SITE, kind.path, await kind.init(0))).arrayBuffer();
    if ((await cacheUses(sites)).hit > hit) return;
  }
  throw new Error(`${of}: the cache keeps nothing`);
}

/** How often the Worker found something in the cache, and how often not, by its own metrics. */
async function cacheUses(sites) {
  const text = await (await sites.ask(SITE, "/metrics", { headers: { authorization: `Bearer ${TOKEN}` } })).text();
  const count = (result) => Number(text.match(`fencepost_cache_answers_total{result="${result}"} (\\d+)`)[1]);
  return { hit: count("hit"), miss: count("miss") };
}

/** How much of a processor a page takes that a run publishes, beside what the run takes that finds nothing. */
export async function measurePublishing({ build, rounds, figures }) {
  await withSites({ build, workers: { [SITE]: {} } }, async (sites) => {
    for (let round = 0; round <= rounds; round += 1) {
      const run = () => spentDuring(sites.pid, () => sites.fire(PUBLISH, [SITE]));
      const nothing = await run();
      // Play dates are given out once, so each round's are older.
      const puzzles = Array.from({ length: PAGES }, (_, i) => puzzle(200_000 + round * PAGES + i, 1 + round * PAGES + i));
      await sites.admin(SITE, "POST", "/puzzles", { puzzles });
      const all = await run();
      const { overdue } = await sites.admin(SITE, "GET", "/status");
      same("all pages are out", overdue, 0);
      if (round === 0) continue;
      figures.add("run that finds nothing", "worker", MILLISECONDS, nothing);
      figures.add("page published, no photo", "worker", MILLISECONDS, (all - nothing) / PAGES);
    }
  });
}
