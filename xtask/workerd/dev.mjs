// The Worker as wrangler.toml describes it, on this machine and with the demo's bank, until
// Ctrl-C: what `cargo run` is to the server.
//
//   node dev.mjs WRANGLER_TOML BUILD_FOLDER STATE_FOLDER PORT [SETTINGS]
//
// SETTINGS are further variables of the Worker, as a JSON object.
// The tables have to be there. The bank is imported over the admin API and its photos are
// fetched by the Worker itself, so that everything takes the way of the real site. Their
// host exists nowhere; it is answered here, from the files of crates/demo.

import { Miniflare, Log, LogLevel, Response, fetch } from "miniflare";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { unstable_getMiniflareWorkerOptions as optionsOf, unstable_readConfig as configOf } from "wrangler";
import { adminOf } from "./admin.mjs";
import { built } from "./built.mjs";
import { onTime } from "./crons.mjs";

const [config, build, state, port, settings = "{}"] = process.argv.slice(2);

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PHOTOS = path.join(ROOT, "crates/demo/photos");
const { crons } = configOf({ config }).triggers;
const { workerOptions } = optionsOf(config);
const url = `http://127.0.0.1:${port}`;
const token = workerOptions.bindings.FENCEPOST_ADMIN_TOKEN ?? randomBytes(16).toString("hex");
const admin = adminOf(url, token);

const miniflare = new Miniflare({
  host: "127.0.0.1",
  port: Number(port),
  // No look at what a request would be like on Cloudflare: that would ask Cloudflare.
  cf: false,
  log: new Log(LogLevel.WARN),
  handleRuntimeStdio(...streams) {
    for (const input of streams) createInterface({ input }).on("line", (line) => tell(readable(line)));
  },
  // The layout of wrangler's --persist-to.
  d1Persist: path.resolve(state, "v3/d1"),
  r2Persist: path.resolve(state, "v3/r2"),
  workers: [
    {
      ...workerOptions,
      ...built(build),
      name: "fencepost",
      bindings: {
        FENCEPOST_SECRET: randomBytes(32).toString("hex"),
        ...workerOptions.bindings,
        FENCEPOST_ORIGIN: url,
        FENCEPOST_ADMIN_TOKEN: token,
        FENCEPOST_ALLOW_PRIVATE_IMAGES: "true",
        ...JSON.parse(settings),
      },
      outboundService: outside,
    },
  ],
});
let isAsked = false;
const asked = new Promise((resolve) => {
  // Miniflare ends the process at a signal, whatever is in hand.
  for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal).once(signal, resolve);
}).then(() => {
  isAsked = true;
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
});
const running = new Set();
let stop = () => {};

try {
  await Promise.race([begin(), asked]);
} catch (error) {
  // A Ctrl-C reaches the runtime as well, whose end may be known here before the signal is.
  await Promise.race([asked, setTimeout(100)]);
  if (!isAsked) {
    tell(`the site cannot be started: ${error.message}`);
    await miniflare.dispose();
    process.exit(1);
  }
}
await asked;
stop();
await Promise.allSettled(running);
await miniflare.dispose();
tell("stopped");

async function begin() {
  await miniflare.ready;
  tell(`the site is at ${url}/ and its answers are at ${url}/answers`);
  tell(`database and photos are in ${state}; remove it to begin anew`);
  tell(`admin API for this start: curl -H 'Authorization: Bearer ${token}' ${url}/admin/api/status`);
  await stock();
  if (isAsked) return;
  crons.forEach(fire);
  stop = onTime(crons, fire);
  tell(`crons are fired at their times: ${crons.join(", ")} (UTC). Ctrl-C ends the site`);
}

function tell(text) {
  console.log(`${new Date().toISOString()} ${text}`);
}

/** A line of the Worker's log, which is JSON, for people. */
function readable(line) {
  try {
    const { level, message, target, ...fields } = JSON.parse(line);
    return [level, message, ...Object.entries(fields).map(([name, value]) => `${name}=${value}`)].join(" ");
  } catch {
    // The runtime's own.
    return line;
  }
}

/** Answers what the Worker asks of the world. */
async function outside(request) {
  const { hostname, pathname } = new URL(request.url);
  if (hostname !== "demo.invalid") return fetch(request.url, { headers: request.headers, redirect: "manual" });
  try {
    const photo = readFileSync(path.join(PHOTOS, path.basename(pathname)));
    return new Response(photo, { headers: { "content-type": "image/webp" } });
  } catch {
    return new Response(null, { status: 404 });
  }
}

/** Imports the samples that are missing. One that is there may have been edited. */
async function stock() {
  const { now } = await admin("GET", "/status");
  const program = ["run", "--quiet", "--package", "fencepost-demo", "--", String(now)];
  const bank = JSON.parse(execFileSync("cargo", program, { cwd: ROOT, encoding: "utf8" }));
  const known = await items();
  const isKnown = (row) => known.some((item) => item.puzzle_id === row.id || item.play_date === row.play_date);
  const puzzles = bank.puzzles.filter((row) => !isKnown(row));
  if (puzzles.length > 0) await admin("POST", "/puzzles", { puzzles });
  tell(puzzles.length > 0 ? `stocked the bank with ${puzzles.length} puzzles` : "the bank is stocked already");
}

async function items() {
  const all = [];
  for (let page = { next_before: "" }; page.next_before !== null; ) {
    page = await admin("GET", `/items${page.next_before && `?before=${page.next_before}`}`);
    all.push(...page.items);
  }
  return all;
}

async function fire(cron) {
  const run = miniflare.getWorker().then((worker) => worker.scheduled({ cron, scheduledTime: new Date() }));
  running.add(run);
  const { outcome } = await run.catch((error) => ({ outcome: error.message }));
  running.delete(run);
  if (outcome !== "ok" && !isAsked) tell(`the cron ${cron} broke off: ${outcome}`);
}
