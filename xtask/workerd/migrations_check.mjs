// Are the tables the same whoever makes them, and does each go on where the other began?
//
//   node migrations_check.mjs WRANGLER_TOML SERVER
//
// One empty database is migrated by wrangler, another by the server, and both are read as
// D1 reads them. Then each is given to the other side, which has to find nothing to do.

import { Miniflare } from "miniflare";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { unstable_getMiniflareWorkerOptions as optionsOf } from "wrangler";
import { finish, same, says } from "./checks.mjs";

const [config, server] = process.argv.slice(2);

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FILES = readdirSync(path.join(ROOT, "migrations")).filter((name) => name.endsWith(".sql")).sort();
const { d1Databases } = optionsOf(config).workerOptions;
const place = mkdtempSync(path.join(tmpdir(), "fencepost-migrations-"));
/** Where wrangler keeps its databases, below the folder that it is given. */
const D1 = "v3/d1/miniflare-D1DatabaseObject";

try {
  await check();
} finally {
  rmSync(place, { recursive: true });
}
finish();

async function check() {
  const [ofWrangler, ofServer] = ["wrangler", "server"].map((name) => path.join(place, name));
  says("wrangler applies all", byWrangler(ofWrangler), FILES.at(-1));
  const [file] = readdirSync(path.join(ofWrangler, D1)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  const [wranglers, servers] = [ofWrangler, ofServer].map((folder) => path.join(folder, D1, file));
  mkdirSync(path.dirname(servers), { recursive: true });
  await byServer(servers);

  const made = await read(ofWrangler);
  same("there is something to compare", [Object.keys(made.objects).length > 20, Object.keys(made.rows).length > 9], [true, true]);
  same("the journal has every file", made.rows.d1_migrations, FILES.map((name, i) => ({ id: i + 1, name })));
  compare("the server makes what wrangler makes", await read(ofServer), made);

  says("wrangler and the server's database", byWrangler(ofServer), "No migrations to apply");
  compare("wrangler leaves the server's database as it is", await read(ofServer), made);

  await byServer(wranglers);
  compare("the server leaves wrangler's database as it is", await read(ofWrangler), made);
  atWork(wranglers);
  const { rows } = await read(ofWrangler);
  same("the server publishes from wrangler's database", rows.answer_posts.length, 1);
  same("and migrates it no more", rows.d1_migrations, made.rows.d1_migrations);
  says("wrangler afterwards", byWrangler(ofWrangler), "No migrations to apply");
}

/** Table by table, so that a difference names its place. */
function compare(what, actual, expected) {
  for (const part of ["objects", "columns", "rows"]) {
    const names = new Set([...Object.keys(actual[part]), ...Object.keys(expected[part])]);
    for (const name of names) same(`${what}: ${part}: ${name}`, actual[part][name], expected[part][name]);
  }
}

function byWrangler(folder) {
  return run("cargo", ["xtask", "migrate", "--d1-local", "--persist-to", folder]);
}

/** A start of the server, and an end in order. */
async function byServer(database) {
  const child = spawn(server, ["serve", "--no-cron", "--listen", "127.0.0.1:0"], { env: settings(database), stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "exit")]);
  says("the server", String(line), "listening on");
  child.kill("SIGTERM");
  same("the server ends in order", await once(child, "exit"), [0, null]);
}

/** The server publishes something, and finds nothing wrong. */
function atWork(database) {
  const puzzles = [{ id: 1, play_date: "2024-02-01", name: "A teapot", price_cents: 1899 }];
  const options = { env: settings(database), input: JSON.stringify({ puzzles }) };
  says("an import", run(server, ["import", "-"], options), "1 new");
  says("a run", run(server, ["run", "publish"], options), "published");
  says("a verification", run(server, ["verify"], options), "nothing wrong: 1 page public");
}

function settings(database) {
  return { FENCEPOST_DATABASE: database, FENCEPOST_BLOBS: path.join(place, "blobs"), FENCEPOST_LOG: "warn" };
}

/** Runs a program to its end, which has to be a good one, and tells what it said. */
function run(program, words, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, words, { cwd: ROOT, encoding: "utf8", ...options });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")}: ${error ?? stdout + stderr}`);
  return stdout + stderr;
}

/** All that a database has, as D1 sees it, but for what D1 and SQLite keep for themselves. */
async function read(folder) {
  // A copy: whoever reads a database leaves its log beside it.
  const copy = path.join(place, "copy");
  rmSync(copy, { recursive: true, force: true });
  cpSync(folder, copy, { recursive: true });
  const miniflare = new Miniflare({ modules: true, script: "export default {}", cf: false, d1Databases, d1Persist: path.join(copy, "v3/d1") });
  try {
    const database = await miniflare.getD1Database("DB");
    const all = async (sql) => (await database.prepare(sql).all()).results;
    const objects = (await all("SELECT type, name, tbl_name, sql FROM sqlite_schema")).filter(({ name }) => !name.startsWith("_cf_"));
    const tables = objects.filter(({ type }) => type === "table").map(({ name }) => name);
    const columns = {}, rows = {};
    for (const table of tables) {
      columns[table] = await all(`PRAGMA table_xinfo(${table})`);
      // When a file was applied is the one thing that may differ.
      rows[table] = (await all(`SELECT * FROM ${table}`)).map(({ applied_at, ...row }) => row);
    }
    return { objects: byName(objects), columns, rows };
  } finally {
    await miniflare.dispose();
  }
}

/** The objects by their names, with their texts as SQLite understands them. */
function byName(objects) {
  const normal = (sql) => sql?.replace(/\s+/g, " ").replace(/ ?([(),]) ?/g, "$1");
  return Object.fromEntries(objects.map(({ type, name, tbl_name, sql }) => [name, [type, tbl_name, normal(sql)]]));
}
