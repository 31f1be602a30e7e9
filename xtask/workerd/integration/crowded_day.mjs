// The day on which everybody plays. A result takes the next slot of its puzzle, and whoever
// looks the last slot up by walking over all of them pays for fifty thousand rows with every
// report. So reports are sent to a Worker when none and when all but one of the slots are
// taken, and when none is left, and D1's own account of what they read and wrote must be the
// same little each time: alone in the table, and beside a million results of other days. A
// report that comes too late for a slot writes nothing. The page of the answer, which tells
// how the day was played, pays no more for it.

import { readFileSync } from "node:fs";
import { none, same } from "../checks.mjs";
import { guess, play, report, stubborn } from "../games.mjs";
import { DAY, NOW, puzzle } from "../puzzles.mjs";
import { withSites } from "../sites.mjs";
import { PASS, Wire, nameOf } from "../wire.mjs";

const TODAY = 1007;
/** As {@link puzzle} makes it. */
const PRICE = TODAY;
const SITE = "site";
const SLOTS = 50_000;
/** Other days, each as full: a million results. */
const OTHERS = 20;
/** What all statements of one report, or of one guess, may read together. */
const MOST_ROWS = 20;

const text = (name) => readFileSync(new URL(`../../../crates/sql/tests/output/${name}.sql`, import.meta.url), "utf8");

export async function crowdedDay({ build }) {
  const wire = new Wire();
  await withSites({ build, workers: { [SITE]: {} }, wire }, async (sites) => {
    const others = Array.from({ length: OTHERS }, (_, i) => TODAY + 1 + i);
    const puzzles = [puzzle(TODAY, 0), ...others.map((id) => puzzle(id, id - TODAY))];
    await sites.admin(SITE, "POST", "/puzzles", { puzzles });
    const table = {};
    /** Asks the Worker, and looks at what that cost. */
    const costing = async (what, ask) => {
      wire.heed(PASS);
      const answer = await ask();
      table[what] = spent(wire.calls);
      same(`${what} reads little`, table[what].read < MOST_ROWS, true);
      return { ...answer, written: table[what].written };
    };
    const reported = async (when, game) => {
      const { status, told, written } = await costing(`a result ${when}`, () => report(sites, SITE, game));
      return [status, told.type ?? told.status, told.slot, written > 0];
    };
    const begin = (session) => play(sites, [SITE], TODAY, session, stubborn(PRICE));
    const [first, last, late] = await Promise.all(["first", "last", "late"].map((who) => begin(`session-of-the-${who}`)));
    const full_up = [409, "urn:fencepost:problem:results-full", undefined, false];

    same("the first result has the first slot", await reported("on an empty day", first.game), [200, "recorded", 1, true]);
    await fill(sites, TODAY, 2, SLOTS - 1);
    const atTheEnd = async (beside) => {
      same(`the last slot is taken${beside}`, await reported(`with one slot left${beside}`, last.game), [200, "recorded", SLOTS, true]);
      same(`then there is none${beside}`, await reported(`with no slot left${beside}`, late.game), full_up);
      same(`a report told again keeps its slot${beside}`, await reported(`told again${beside}`, first.game), [200, "duplicate", 1, false]);
      same(`every slot is taken once${beside}`, await slots(sites), { results: SLOTS, highest: SLOTS, late: 0 });
    };
    await atTheEnd("");
    await sites.sql([`DELETE FROM daily_results WHERE puzzle_id = ${TODAY} AND slot = ${SLOTS}`]);
    const begun = Date.now();
    for (const id of others) await fill(sites, id, 1, SLOTS);
    const seconds = Math.round((Date.now() - begun) / 100) / 10;
    const beside = `, beside ${others.length * SLOTS} of other days`;
    await atTheEnd(beside);
    const { status, written } = await costing(`a guess${beside}`, () => guess(sites, SITE, TODAY, 1));
    same("a guess is judged, and writes nothing", [status, written], [200, 0]);
    // The very text that reads the page of an answer.
    const [page] = await sites.costly([text("answer_posts__answer"), NOW, TODAY]);
    table[`the page of the answer${beside}`] = { read: page.read, written: page.written };
    same("a page reads little and writes nothing", page.read < MOST_ROWS && page.written === 0, true);
    const [{ last_slot, won_with }] = page.rows;
    // The last one has found it at once, and those before with the third guess.
    same("it knows how the day was played", [last_slot, won_with], [SLOTS, JSON.stringify([1, 0, SLOTS - 1, 0, 0, 0])]);
    console.log(`What a result costs, of ${SLOTS} that a day has room for (the other days took ${seconds} s to write):`);
    console.table(table);
    none("alone or beside others, it costs the same", differences(table, beside));
  });
}

/** What calls cost together, and each of their statements: rows read, and rows written. */
function spent(calls) {
  const each = calls.flatMap(({ statements, rows }) => statements.map((sql, i) => ({ name: nameOf(sql), ...rows[i] })));
  const sum = (what) => each.reduce((sum, cost) => sum + cost[what], 0);
  return { read: sum("read"), written: sum("written"), each: each.map(({ name, read, written }) => `${name} ${read}/${written}`).join(", ") };
}

/** What costs something else beside others than alone. */
function differences(table, beside) {
  const pairs = Object.entries(table).filter(([what]) => `${what}${beside}` in table);
  if (pairs.length === 0) return ["nothing was compared"];
  const differs = ([what, cost]) => JSON.stringify(cost) !== JSON.stringify(table[`${what}${beside}`]);
  return pairs.filter(differs).map(([what]) => what);
}

/** How the day is taken, and whether whoever was late has a place in it. */
async function slots(sites) {
  const counts = "count(*) AS results, max(slot) AS highest, count(*) FILTER (WHERE session_id = 'session-of-the-late') AS late";
  const [[row]] = await sites.sql([`SELECT ${counts} FROM daily_results WHERE puzzle_id = ${TODAY}`]);
  return row;
}

/** Results of a puzzle, in the slots from one to another, with the tallies of a day on which
    everybody finds the price with the third guess. */
function fill(sites, puzzle, first, last) {
  return sites.sql([
    `WITH RECURSIVE slots (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM slots WHERE n < ${last})
     INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, created_at,
       won_with_1, won_with_2, won_with_3, won_with_4, won_with_5, won_with_6)
     SELECT ${puzzle}, printf('session-%08d', n), n, 'won', 3, ${NOW - DAY}, 0, 0, n, 0, 0, 0 FROM slots`,
  ]);
}
