// The Worker, several times over, on one machine: one database and one bucket for all, as
// during a deployment or a mistake.

import { Miniflare, Log, LogLevel } from "miniflare";
import path from "node:path";
import { TOKEN } from "./admin.mjs";
import { built } from "./built.mjs";
import { failed } from "./checks.mjs";
import { statements } from "./migrations.mjs";
import { NOW } from "./puzzles.mjs";
import { lastStarted, script } from "./workerd.mjs";

export { TOKEN };
export const PUBLISH = "10 0 * * *";
export const COMPENSATE = "25 * * * *";
/** Signs the games of the tests. */
export const SECRET = "a-secret-of-at-least-32-characters";

/** What every Worker of the site is told; a Worker may be told otherwise. */
const SETTINGS = {
  FENCEPOST_ENVIRONMENT: "test",
  FENCEPOST_ORIGIN: "https://prices.example",
  FENCEPOST_ADMIN_TOKEN: TOKEN,
  FENCEPOST_SECRET: SECRET,
  FENCEPOST_ALLOW_PRIVATE_IMAGES: "true",
  // As on the paid plan.
  FENCEPOST_QUERY_BUDGET: "1000",
};

/** All tables, those that are referred to before those that refer. */
const TABLES = String.raw`SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '\_cf\_%' ESCAPE '\'
  ORDER BY name <> 'puzzles', name`;

/** The function, asked but once for the same. */
function memo(ask) {
  const answers = new Map();
  return (of) => answers.get(of) ?? answers.set(of, ask(of)).get(of);
}

/**
 * Starts Workers, lets `act` have them, and stops them. If a check fails meanwhile, shows
 * what they logged.
 */
export async function withSites(options, act) {
  const failedBefore = failed();
  const sites = await start(options);
  try {
    return await act(sites);
  } catch (error) {
    console.log(`the Workers logged:\n${sites.log()}`);
    throw error;
  } finally {
    await sites.stop();
    if (failed() > failedBefore) console.log(`the Workers logged:\n${sites.log()}`);
  }
}

/**
 * Starts the Workers named in `workers`, each with settings of its own, by the build in
 * `build`. All clocks show `now`, or are ahead of it by a Worker's own `ahead`. A Worker with
 * a `rate` lets so many requests of one player pass in a minute.
 *
 * `wire` is put between the Workers and their store, but for those that are `unwired`. With
 * `tapped`, it is also told what they ask of the runtime itself. Workers of the tests' own,
 * each in a file, stand beside them as `helpers`, with the same store as the keeper has. In
 * the folder `persist` the store outlives them. A new database gets the tables of the
 * migrations, each statement passed through `loosen`.
 */
export async function start({ build, workers, now = NOW, wire, tapped = false, helpers = {}, persist, loosen = (statement) => statement }) {
  const logged = [];
  const offset = now - Date.now();
  const stores = { d1Databases: { DATABASE: "shared" }, r2Buckets: { BUCKET: "shared" } };
  const shift = (ahead = 0) => String(offset + ahead);
  const counted = (rate) => rate && { ratelimits: { PLAYER_RATE: { simple: { limit: rate, period: 60 } } } };
  const bindings = (unwired) =>
    wire === undefined || unwired
      ? { d1Databases: { DB: "shared" }, r2Buckets: { BLOBS: "shared" } }
      : {
          wrappedBindings: {
            DB: { scriptName: "wire", entrypoint: "database" },
            BLOBS: { scriptName: "wire", entrypoint: "bucket" },
          },
        };
  const miniflare = new Miniflare({
    log: new Log(LogLevel.NONE),
    handleRuntimeStdio(stdout, stderr) {
      for (const stream of [stdout, stderr]) stream.on("data", (data) => logged.push(data.toString()));
    },
    ...(persist && { d1Persist: path.join(persist, "d1"), r2Persist: path.join(persist, "r2") }),
    workers: [
      ...Object.entries(workers).map(([name, { ahead, unwired = false, rate, ...settings }]) => ({
        name,
        ...built(build, tapped ? "tap.mjs" : undefined),
        ...(tapped && { serviceBindings: { ORDERS: wire.answer } }),
        compatibilityDate: "2026-04-01",
        bindings: { ...SETTINGS, FENCEPOST_TEST_CLOCK_OFFSET_MS: shift(ahead), ...settings },
        ...bindings(unwired),
        ...counted(rate),
      })),
      { name: "keeper", ...script("keeper_worker.mjs"), ...stores },
      ...Object.entries(helpers).map(([name, file]) => ({ name, ...script(file), ...stores })),
      ...(wire === undefined
        ? []
        : [
            {
              name: "wire",
              ...script("wire_worker.mjs"),
              serviceBindings: { ORDERS: wire.answer },
              bindings: { SHIFTS: Object.values(workers).map(({ ahead }) => shift(ahead)) },
              ...stores,
            },
          ]),
    ],
  });
  const bucket = await miniflare.getR2Bucket("BUCKET", "keeper");
  const workerd = lastStarted();
  const worker = memo((name) => miniflare.getWorker(name));
  const keeper = async (init) => {
    const response = await (await worker("keeper")).fetch("http://keeper/", init);
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  /** Runs statements as one batch, each with its values; answers with the rows of each, and what they cost. */
  const costly = (...statements) => keeper({ method: "POST", body: JSON.stringify(statements) });
  /** The same; answers with the rows of each. */
  const sql = async (...statements) => (await costly(...statements)).map(({ rows }) => rows);
  const [known] = await sql(["SELECT 1 FROM sqlite_schema WHERE name = 'site_state'"]);
  if (known.length === 0) await sql(...statements().map((statement) => [loosen(statement)]));
  const tables = memo(async () => (await sql([TABLES]))[0].map((row) => row.name));
  return {
    sql,
    costly,
    bucket,
    /** The cache of all data centres: each has its own part of the addresses. */
    cache: async () => (await miniflare.getCaches()).default,
    /** The keys of all objects. */
    keys: async () => (await keeper()).sort(),
    /** Where the first Worker answers over the network. */
    url: String(await miniflare.ready).replace(/\/$/, ""),
    log: () => logged.join(""),
    stop: () => miniflare.dispose(),
    /** The process of all Workers. */
    pid: workerd.pid,
    /** Ends all Workers at this very instant, whatever they are doing. */
    kill: () => workerd.kill("SIGKILL"),

    /** Fires a cron on all of `names` at the same instant. */
    async fire(cron, names) {
      const workers = await Promise.all(names.map(worker));
      const fired = workers.map((worker) => worker.scheduled({ cron, scheduledTime: new Date(now) }));
      return (await Promise.all(fired)).map((result) => result.outcome);
    },

    /** Asks a Worker for a path. */
    ask(name, path, init) {
      return this.askAt("http://worker", name, path, init);
    },

    /** Asks a Worker for a path, at an address of its own: what was kept below another one is not there. */
    async askAt(origin, name, path, init = {}) {
      return (await worker(name)).fetch(`${origin}${path}`, { redirect: "manual", ...init });
    },

    /** Asks the admin API, and answers with its status and what it told. */
    async tryAdmin(name, method, path, body) {
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
      const init = { method, headers, body: body && JSON.stringify(body) };
      const response = await this.ask(name, `/admin/api${path}`, init);
      return { status: response.status, told: await response.json() };
    },

    /** Asks the admin API for what it cannot refuse, and answers what it told. */
    async admin(name, method, path, body) {
      const { status, told } = await this.tryAdmin(name, method, path, body);
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(told)}`);
      return told;
    },

    /** Every row of the tables named, or of all tables, as text that can be compared. */
    async rows(...names) {
      if (names.length === 0) names = await tables();
      const results = await sql(...names.map((table) => [`SELECT * FROM ${table}`]));
      return Object.fromEntries(names.map((table, i) => [table, results[i]]));
    },
  };
}
