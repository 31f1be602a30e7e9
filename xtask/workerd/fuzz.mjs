// Drives the server and the Worker by the description of their API that they serve.
//
//   node fuzz.mjs BUILD_FOLDER SERVER PYTHON_PROGRAMS (server|worker|all) EXAMPLES (short|full)
//
// schemathesis makes requests of the description, sound ones and others, and holds every
// answer against it: no fault, no status, type, header or member that is not described. It
// comes as an operator, and as somebody without a token. Each site has one puzzle in every
// state, events in every state and a game under way, and is another afterwards.
//
// Before that, while nothing changes, every door of an operator is tried with tokens that
// are none: see `fuzz/doors.mjs` and `fuzz/timing.mjs`.

import path from "node:path";
import { TOKEN } from "./admin.mjs";
import { broke, finish, none, same, sameRows } from "./checks.mjs";
import { fuzz, validate } from "./fuzz/description.mjs";
import { doors } from "./fuzz/doors.mjs";
import { stock } from "./fuzz/stock.mjs";
import { timing } from "./fuzz/timing.mjs";
import { photoHost } from "./photo_host.mjs";
import { NOW } from "./puzzles.mjs";
import { serve } from "./server.mjs";
import { start } from "./sites.mjs";
import { stored } from "./strangers/tables.mjs";
import { webhookReceiver } from "./webhook_receiver.mjs";

const [build, program, programs, target, examples, form] = process.argv.slice(2);
const python = path.resolve(programs);
const SECRET = "0123456789abcdef0123456789abcdef";
const HOOK_SECRET = "fedcba9876543210fedcba9876543210";
/** How many requests of each kind are timed. */
const TIMED = form === "full" ? 4_000 : 400;

const host = await photoHost();
const receiver = await webhookReceiver(HOOK_SECRET);
const SETTINGS = {
  FENCEPOST_SECRET: SECRET,
  FENCEPOST_ENVIRONMENT: "test",
  FENCEPOST_ORIGIN: "https://prices.example",
  FENCEPOST_ALLOW_PRIVATE_IMAGES: "true",
  FENCEPOST_DAILY_QUOTA: "1000000",
  FENCEPOST_WEBHOOK_URL: receiver.url,
  FENCEPOST_WEBHOOK_SECRET: HOOK_SECRET,
  FENCEPOST_ALLOW_PRIVATE_WEBHOOK: "true",
};
try {
  if (target !== "worker") await native();
  if (target !== "server") await worker();
} finally {
  host.stop();
  receiver.stop();
}
finish();

async function native() {
  const settings = { ...SETTINGS, FENCEPOST_TEST_CLOCK_OFFSET_MS: String(NOW - Date.now()) };
  const site = await serve(path.resolve(program), ["--no-cron", "--player-rate", "0"], settings);
  try {
    await visit("server", site.url, site.admin, () => stored(site.place));
    none("the server never panicked", panics(site.log()));
  } catch (error) {
    broke("the server", error);
    console.log(site.log());
  } finally {
    await site.stop();
  }
}

async function worker() {
  const sites = await start({ build, workers: { site: SETTINGS } });
  try {
    const all = async () => ({ ...(await sites.rows()), photos: await sites.keys() });
    await visit("Worker", sites.url, (...words) => sites.admin("site", ...words), all);
    none("the Worker never panicked", panics(sites.log()));
  } catch (error) {
    broke("the Worker", error);
    console.log(sites.log());
  } finally {
    await sites.stop();
  }
}

function panics(log) {
  return log.split("\n").filter((line) => /panicked/i.test(line)).slice(0, 5);
}

async function visit(name, url, admin, everything) {
  const known = await stock(url, admin, host, receiver);
  const description = await (await fetch(`${url}/api/openapi.json`)).json();
  same(`the ${name}: its description is valid`, await validate(python, description), "");

  const before = await everything();
  await doors(name, url, description, known);
  await timing(name, url, known, TIMED, form === "full");
  sameRows(`the ${name} is what it was before anybody tried its doors`, await everything(), before);

  // Somebody first: to them, the site stays as it is, but for the results of games.
  const table = {};
  for (const [who, token] of [["somebody", undefined], ["an operator", TOKEN]]) {
    const begun = Date.now();
    const { complaints, answers } = await fuzz({ python, description, url, known, examples, token });
    none(`the ${name}, to ${who}`, complaints);
    for (const [operation, statuses] of Object.entries(answers)) table[operation] = sum(table[operation], statuses);
    console.log(`the ${name}, to ${who}: ${Math.round((Date.now() - begun) / 1_000)} s`);
  }
  none(`the ${name}: what was never granted`, described(description).filter((operation) => !granted(table[operation])));
  console.log(`\nthe ${name}, ${examples} examples for each operation, and those that schemathesis has of itself:`);
  console.table(Object.fromEntries(described(description).map((operation) => [operation, table[operation]])));
}

/** The operations, as method and path. */
function described({ paths }) {
  const methods = ["get", "post"];
  return Object.entries(paths).flatMap(([path, item]) => methods.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`));
}

/** Whether an operation did anything for anybody. */
function granted(statuses = {}) {
  return (statuses[200] ?? 0) > 0;
}

function sum(counts = {}, more) {
  return Object.fromEntries([...new Set([...Object.keys(counts), ...Object.keys(more)])].map((key) => [key, (counts[key] ?? 0) + (more[key] ?? 0)]));
}
