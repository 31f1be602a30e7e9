// The Worker, several times over, on one machine: one database and one bucket for all, as
// during a deployment or a mistake.

import { Miniflare, Log, LogLevel } from "miniflare";
import { built } from "./built.mjs";
import { migrate } from "./migrations.mjs";

export const TOKEN = "correct-horse-battery-staple";

/** What every Worker of the site is told; a Worker may be told otherwise. */
const SETTINGS = {
  FENCEPOST_ENVIRONMENT: "test",
  FENCEPOST_ORIGIN: "https://prices.example",
  FENCEPOST_ADMIN_TOKEN: TOKEN,
  FENCEPOST_ALLOW_PRIVATE_IMAGES: "true",
  // As on the paid plan.
  FENCEPOST_QUERY_BUDGET: "1000",
};

/**
 * Starts the Workers named in `workers`, each with settings of its own, by the build in
 * `build`. The database is new and has its tables; its clock shows `now`.
 */
export async function start(build, now, workers) {
  const logged = [];
  const offset = String(now - Date.now());
  const miniflare = new Miniflare({
    log: new Log(LogLevel.NONE),
    handleRuntimeStdio(stdout, stderr) {
      for (const stream of [stdout, stderr]) stream.on("data", (data) => logged.push(data.toString()));
    },
    workers: Object.entries(workers).map(([name, settings]) => ({
      name,
      ...built(build),
      compatibilityDate: "2026-04-01",
      bindings: { ...SETTINGS, FENCEPOST_TEST_CLOCK_OFFSET_MS: offset, ...settings },
      d1Databases: { DB: "shared" },
      r2Buckets: { BLOBS: "shared" },
    })),
  });
  const [first] = Object.keys(workers);
  const database = await miniflare.getD1Database("DB", first);
  await migrate(database);
  return {
    database,
    /** Where the first Worker answers over the network. */
    url: String(await miniflare.ready).replace(/\/$/, ""),
    bucket: await miniflare.getR2Bucket("BLOBS", first),
    log: () => logged.join(""),
    stop: () => miniflare.dispose(),

    /** Fires a cron on all of `names` at the same instant. */
    async fire(cron, names) {
      const at = names.map(async (name) => await miniflare.getWorker(name));
      const fired = (await Promise.all(at)).map((worker) => worker.scheduled({ cron, scheduledTime: new Date(now) }));
      return (await Promise.all(fired)).map((result) => result.outcome);
    },

    /** Asks a Worker for a path. */
    async ask(name, path, init = {}) {
      const worker = await miniflare.getWorker(name);
      return worker.fetch(`http://worker${path}`, { redirect: "manual", ...init });
    },

    /** Asks the admin API, and answers what it told. */
    async admin(name, method, path, body) {
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
      const init = { method, headers, body: body && JSON.stringify(body) };
      const response = await this.ask(name, `/admin/api${path}`, init);
      const told = await response.json();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(told)}`);
      return told;
    },

    /** Every row of the tables named, as text that can be compared. */
    async rows(...tables) {
      const read = async (table) => (await database.prepare(`SELECT * FROM ${table}`).all()).results;
      return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await read(table)])));
    },

    /** The names of all tables. */
    async tables() {
      const sql =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'";
      return (await database.prepare(sql).all()).results.map((row) => row.name);
    },
  };
}
