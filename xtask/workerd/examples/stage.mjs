// An example's Worker, several times over, on one database in workerd.
//
// What an example is to these tests is an object with
//
//   build, migrations   the folder of its Worker, and that of its tables
//   vars                what its Workers are told by variables, if anything
//   outside             who answers what they ask of the network, if anybody
//   fill(stage)         puts into empty tables what there is to do
//   forget()            makes whoever is outside forget what was heard, if anybody
//   done(stage)         what was done, as a value: the same whichever way it came about
//   wrong(stage)        what is wrong with it, as a list of texts; none is right
//   later(stage)        lets its own waits be over, if it has any
//   faults              what else can go wrong, if anything: functions as those of faults.mjs

import { Miniflare, Log, LogLevel } from "miniflare";
import path from "node:path";
import { built } from "../built.mjs";
import { failed } from "../checks.mjs";
import { statements } from "../migrations.mjs";
import { lastStarted, script } from "../workerd.mjs";

/** All tables, in the order in which they were made. */
const TABLES = String.raw`SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '\_cf\_%' ESCAPE '\'
  ORDER BY rowid`;

/**
 * Starts Workers of an example, lets `act` have them, and stops them. If a check fails
 * meanwhile, shows what they logged.
 */
export async function onStage(example, options, act) {
  const failedBefore = failed();
  const stage = await start(example, options);
  try {
    return await act(stage);
  } finally {
    await stage.stop();
    if (failed() > failedBefore) console.log(`the Workers logged:\n${stage.log()}`);
  }
}

/**
 * Starts the Workers that `workers` names. `wire` is put between them and their database,
 * which in the folder `persist` outlives them. An empty database gets the example's tables.
 */
export async function start(example, { workers = ["one"], wire, persist }) {
  const logged = [];
  const stored = { d1Databases: { DATABASE: "shared" }, r2Buckets: { BUCKET: "unused" } };
  const bindings = wire
    ? { wrappedBindings: { DB: { scriptName: "wire", entrypoint: "database" } } }
    : { d1Databases: { DB: "shared" } };
  const wireWorker = wire && {
    name: "wire", ...script("wire_worker.mjs"), serviceBindings: { ORDERS: wire.answer }, bindings: { SHIFTS: [] }, ...stored,
  };
  const miniflare = new Miniflare({
    log: new Log(LogLevel.NONE),
    handleRuntimeStdio(stdout, stderr) {
      for (const stream of [stdout, stderr]) stream.on("data", (data) => logged.push(data.toString()));
    },
    ...(persist && { d1Persist: path.join(persist, "d1") }),
    workers: [
      ...workers.map((name) => ({
        name,
        ...built(example.build),
        compatibilityDate: "2026-04-01",
        bindings: example.vars ?? {},
        ...(example.outside && { outboundService: example.outside }),
        ...bindings,
      })),
      { name: "keeper", ...script("keeper_worker.mjs"), ...stored },
      ...(wire ? [wireWorker] : []),
    ],
  });
  await miniflare.ready;
  const workerd = lastStarted();
  const keeper = await miniflare.getWorker("keeper");
  /** Runs statements as one batch, each with its values; answers with the rows of each. */
  const sql = async (...statements) => {
    const response = await keeper.fetch("http://keeper/", { method: "POST", body: JSON.stringify(statements) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()).map(({ rows }) => rows);
  };
  const tables = async () => (await sql([TABLES]))[0].map((row) => row.name);
  if ((await tables()).length === 0) await sql(...statements(example.migrations).map((statement) => [statement]));
  const names = await tables();
  return {
    sql,
    log: () => logged.join(""),
    stop: () => miniflare.dispose(),
    /** Ends all Workers at this very instant, whatever they are doing. */
    kill: () => workerd.kill("SIGKILL"),

    /** Fires the cron of all of `names` at the same instant. */
    async fire(...names) {
      const workers = await Promise.all(names.map((name) => miniflare.getWorker(name)));
      const fired = await Promise.all(workers.map((worker) => worker.scheduled({ cron: "* * * * *" })));
      return fired.map(({ outcome }) => outcome);
    },

    /** Every row of every table. */
    async rows() {
      const results = await sql(...names.map((table) => [`SELECT * FROM ${table}`]));
      return Object.fromEntries(names.map((table, i) => [table, results[i]]));
    },

    /** Empties the tables, and fills them with what there is to do. */
    async reset() {
      await sql(...names.toReversed().map((table) => [`DELETE FROM ${table}`]));
      example.forget?.();
      await example.fill(this);
    },

    /** Lets all leases and waits be over, as if hours had passed. */
    async later() {
      await sql(["UPDATE job_leases SET expires_at = min(expires_at, 1)"]);
      await example.later?.(this);
    },
  };
}
