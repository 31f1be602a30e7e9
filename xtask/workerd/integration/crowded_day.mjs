// The day on which everybody plays. A result takes the next slot of its puzzle, and whoever
// looks the last slot up by walking over all of them pays for fifty thousand rows with every
// report. So the statement of the program, the very text, records a result with none and
// with all but one of the slots taken, and must read as little either way; a report that
// comes too late for a slot writes nothing. The page of the answer, which tells how the day
// was played, pays no more for it.

import { readFileSync } from "node:fs";
import { same } from "../checks.mjs";
import { DAY, NOW, puzzle } from "../puzzles.mjs";
import { withSites } from "../sites.mjs";

const TODAY = 1007;
const SLOTS = 50_000;
/** What recording one result may read. */
const MOST_ROWS = 20;

const text = (name) => readFileSync(new URL(`../../../crates/sql/tests/output/${name}.sql`, import.meta.url), "utf8");

export async function crowdedDay({ build, full }) {
  await withSites({ build, workers: { site: {} } }, async (sites) => {
    const others = Array.from({ length: full ? 20 : 2 }, (_, i) => TODAY + 1 + i);
    const puzzles = [puzzle(TODAY, 0), ...others.map((id) => puzzle(id, id - TODAY))];
    await sites.admin("site", "POST", "/puzzles", { puzzles });

    const table = {};
    const report = async (when, session) => {
      const told = [NOW, TODAY, session, "won", 3, `token of ${session}`];
      const asked = [NOW, TODAY, session, `token of ${session}`];
      const [record, look] = await sites.costly([text("results_log__record"), ...told], [text("results_log__read_report"), ...asked]);
      table[when] = { "rows read": record.read, "rows written": record.written, "read to tell": look.read };
      same(`a result ${when} reads little`, record.read < MOST_ROWS && look.read < MOST_ROWS, true);
      return look.rows[0].slot;
    };
    same("the first result has the first slot", await report("on an empty day", "session-of-the-first"), 1);
    await fill(sites, TODAY, 2, SLOTS - 1);
    same("the last one has the last", await report("with one slot left", "session-of-the-last"), SLOTS);
    same("then there is none", await report("with no slot left", "session-of-nobody"), null);
    same("a report told twice keeps its slot", await report("told twice", "session-of-the-first"), 1);
    for (const id of others) await fill(sites, id, 1, SLOTS);
    same("nor is there one beside others", await report(`beside ${others.length * SLOTS} of other days`, "session-of-nobody"), null);
    const [guess] = await sites.costly([text("results_log__play"), NOW, TODAY]);
    table["a guess"] = { "rows read": guess.read, "rows written": guess.written };
    same("a guess reads little and writes nothing", guess.read < MOST_ROWS && guess.written === 0, true);
    const [page] = await sites.costly([text("answer_posts__answer"), NOW, TODAY]);
    table["the page of the answer"] = { "rows read": page.read, "rows written": page.written };
    same("a page reads little and writes nothing", page.read < MOST_ROWS && page.written === 0, true);
    const [{ last_slot, won_with }] = page.rows;
    same("it knows how the day was played", [last_slot, won_with], [SLOTS, JSON.stringify([0, 0, SLOTS, 0, 0, 0])]);
    const [[{ results }]] = await sites.sql([`SELECT count(*) AS results FROM daily_results WHERE puzzle_id = ${TODAY}`]);
    same("every slot is taken once", results, SLOTS);
    console.log(`What a result costs, of ${SLOTS} that a day has room for:`);
    console.table(table);
  });
}

/** Results of a puzzle, in the slots from one to another, with the tallies of a day on which
    everybody wins with the third guess. */
function fill(sites, puzzle, first, last) {
  return sites.sql([
    `WITH RECURSIVE slots (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM slots WHERE n < ${last})
     INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, created_at,
       won_with_1, won_with_2, won_with_3, won_with_4, won_with_5, won_with_6)
     SELECT ${puzzle}, printf('session-%08d', n), n, 'won', 3, ${NOW - DAY}, 0, 0, n, 0, 0, 0 FROM slots`,
  ]);
}
