// A row of the database holds what it cannot hold.
//
// The tables are strict, and still a value can be wrong: a key that names no photo, a date
// that is none, a state that nobody knows; and a table that somebody rebuilt by hand may not
// be strict any more. Such a row must cost what cannot be had without it, loudly, and no
// more: its own page fails, and the log names the column; all other pages are there, and a
// run publishes everything else.
//
// So the tables are made without strictness, and each value of two rows is spoiled in turn:
// of an answer that is out, and of one that is due.

import { eventually, same } from "../checks.mjs";
import { DAY, puzzle } from "../puzzles.mjs";
import { COMPENSATE, PUBLISH, withSites } from "../sites.mjs";
import { putBack, take, whenQuiet } from "../state.mjs";

const [BEFORE, OUT, AFTER] = [1101, 1102, 1103];
const [DUE, SPOILED, ALSO_DUE] = [1104, 1105, 1106];
const ROWS = [
  { id: OUT, tables: ["answer_posts", "publication_items", "puzzles", "source_images"] },
  { id: SPOILED, tables: ["publication_items", "puzzles", "source_images"] },
];

/** The texts that only some texts may stand in the place of. All other texts can be anything. */
const WORDS = new Set(["play_date", "image_key", "state", "object_key"]);
/** What a column is called in the log, where it is not called by its name. */
const CALLED = { content_version: "page_version", object_key: "photo_key" };
/** In the short form, these columns alone. */
const CHOSEN = new Set(["answer_posts.image_key", "answer_posts.price_cents", "publication_items.attempts", "puzzles.play_date"]);

export async function brokenRows({ build, host, full }) {
  const workers = { site: {}, "site-yesterday": { ahead: -DAY } };
  const loosen = (sql) => sql.replace(/\) STRICT$/, ")");
  await withSites({ build, workers, loosen }, async (sites) => {
    const photo = (id) => `${host.url}/photo/${id}`;
    const out = [puzzle(BEFORE, 9), puzzle(OUT, 8, photo(OUT)), puzzle(AFTER, 7)];
    await sites.admin("site", "POST", "/puzzles", { puzzles: [...out, puzzle(SPOILED, 1, photo(SPOILED))] });
    await sites.fire(PUBLISH, ["site-yesterday"]);
    await sites.admin("site", "POST", "/puzzles", { puzzles: [puzzle(DUE, 4), puzzle(ALSO_DUE, 2)] });
    const { source_images, answer_posts } = await sites.rows("source_images", "answer_posts");
    same("three are out, and two photos stored", [answer_posts.length, source_images.length], [3, 2]);
    const before = await take(sites);

    const table = [];
    for (const { id, tables } of ROWS) {
      for (const spoiled of (await Promise.all(tables.map((name) => values(sites, name)))).flat()) {
        if (!full && !CHOSEN.has(`${spoiled.table}.${spoiled.column}`)) continue;
        await putBack(sites, before);
        table.push(await play(sites, id, spoiled));
      }
    }
    console.table(table);
  });
}

/** Every value that cannot be, of every column of a table. */
async function values(sites, table) {
  const [columns] = await sites.sql([`PRAGMA table_info(${table})`]);
  return columns.filter(({ pk }) => pk === 0).flatMap(({ name: column, type }) => {
    const wrong = type === "INTEGER" ? ["'rotten'", "1.5"] : WORDS.has(column) ? ["'rotten'"] : [];
    return wrong.map((value) => ({ table, column, value }));
  });
}

async function play(sites, id, { table, column, value }) {
  const what = `${id === OUT ? "an answer that is out" : "one that is due"}: ${table}.${column} = ${value}`;
  await sites.sql(["PRAGMA ignore_check_constraints = ON"], [`UPDATE ${table} SET ${column} = ${value} WHERE puzzle_id = ?`, id]);
  const logged = sites.log().length;
  const status = async (path) => {
    const response = await sites.ask("site", path);
    await response.text();
    return response.status;
  };
  const ownBefore = await status(`/answers/${id}`);
  same(`${what}: a run does not break off`, await sites.fire(COMPENSATE, ["site"]), ["ok"]);
  // A reader may have started one as well.
  await whenQuiet(sites);
  const own = await status(`/answers/${id}`);
  for (const path of ["/", "/answers", ...[BEFORE, AFTER, DUE, ALSO_DUE].map((other) => `/answers/${other}`)]) {
    same(`${what}: ${path} is there`, await status(path), 200);
  }
  const failures = (await whenQuiet(sites)).map((run) => run.error).filter((error) => error !== null);
  same(`${what}: no run failed`, failures, []);

  const { publication_items } = await sites.rows("publication_items");
  const { state } = publication_items.find((item) => item.puzzle_id === id);
  const named = () => new Set(Array.from(sites.log().slice(logged).matchAll(/column \\"([a-z_]+)\\"/g), ([, name]) => name));
  const names = [CALLED[column] ?? column, `page_${column}`, `photo_${column}`];
  same(`${what}: its page is there, or waits, or fails`, [200, 404, 500].includes(own) || own, true);
  same(`${what}: its page failed for nothing else before`, [own, 404].includes(ownBefore) || ownBefore, true);
  const isSettled = own === 500 || state === "blocked" || (own === 200 && state === "published");
  same(`${what}: it is out, or is blocked, or its page fails`, isSettled || { own, state }, true);
  if (own !== 200) await eventually(`${what}: the log names the column`, () => names.some((name) => named().has(name)));
  return { of: id === OUT ? "out" : "due", value: `${table}.${column} = ${value}`, page: own, item: state, "the log names": [...named()].join(" ") };
}
