// Looks the server and the Worker over for what they tell before its time.
//
//   node audit.mjs BUILD_FOLDER SERVER (short|full)
//
// Each site is stocked with one puzzle in every state, and its clock set so that it is
// shortly before an instant at which something becomes public: an answer, or tomorrow's
// puzzle, whose photo is there already. `fencepost audit` does the rest, from outside, as an
// operator would, and plays to the end. In the short form each site sees one of the two
// instants, in the full one both.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { TOKEN } from "./admin.mjs";
import { broke, finish, same } from "./checks.mjs";
import { photoHost } from "./photo_host.mjs";
import { DAY, NOW, puzzle } from "./puzzles.mjs";
import { bare, serve } from "./server.mjs";
import { start } from "./sites.mjs";

const MIDNIGHT = NOW - (NOW % DAY) + DAY;
const INSTANTS = { "an answer is due": MIDNIGHT + 600_000, "a puzzle opens": MIDNIGHT };
/** How long before the instant a site is started: time to stock it, on a busy machine too. */
const LEAD = 25_000;
/** Without a secret there would be no game to look at. */
const SECRET = "0123456789abcdef0123456789abcdef";
const WALKS = ["T - 1 s", "T", "T + 1 s", "after, in full"];

const [build, program, form] = process.argv.slice(2);
const server = path.resolve(program);
const host = await photoHost();
const [due, opens] = Object.keys(INSTANTS);
const rounds = form === "full" ? [[due, opens], [opens, due]] : [[due, opens]];
try {
  for (const [ofServer, ofWorker] of rounds) await Promise.all([native(ofServer), worker(ofWorker)]);
} finally {
  host.stop();
}
finish();

async function native(instant) {
  const what = `the server, when ${instant}`;
  const offset = String(INSTANTS[instant] - LEAD - Date.now());
  const settings = { FENCEPOST_SECRET: SECRET, FENCEPOST_ALLOW_PRIVATE_IMAGES: "true", FENCEPOST_TEST_CLOCK_OFFSET_MS: offset };
  // An audit plays faster than people do.
  const site = await serve(server, ["--player-rate", "0"], settings);
  try {
    await audit(what, site.url, site.admin);
    await byFile(what, site.url, site.place, offset);
  } catch (error) {
    broke(what, error);
    console.log(site.log());
  } finally {
    await site.stop();
  }
}

async function worker(instant) {
  const what = `the Worker, when ${instant}`;
  const sites = await start({ build, workers: { site: { FENCEPOST_SECRET: SECRET } }, now: INSTANTS[instant] - LEAD });
  try {
    await audit(what, sites.url, (...request) => sites.admin("site", ...request));
  } catch (error) {
    broke(what, error);
    console.log(sites.log());
  } finally {
    await sites.stop();
  }
}

/** Stocks a site, and looks it over around the instant. */
async function audit(what, url, admin) {
  await admin("POST", "/puzzles", { puzzles: bank() });
  await admin("POST", "/items/1113/withdraw");
  await admin("POST", "/jobs/publish");
  await admin("POST", "/items/1116/withdraw");
  const report = await fencepost(what, ["--base", url, "--end-games"], { FENCEPOST_ADMIN_TOKEN: TOKEN });
  same(`${what}: every walk was made`, report.walks.map(({ name }) => name), WALKS);
  same(`${what}: its photos were looked at`, report.addresses.some((path) => path.startsWith("/images/")), true);
  same(`${what}: games were played`, report.guesses > 40, true);
  console.table({ [what]: { requests: report.requests, guesses: report.guesses, addresses: report.addresses.length, findings: report.findings.length } });
}

/** Looks a site over as somebody does who has the file of its bank, and no token. */
async function byFile(what, url, place, offset) {
  const file = path.join(place, "bank.json");
  // Which items were withdrawn, no file tells.
  const puzzles = bank().filter(({ id }) => id !== 1113);
  writeFileSync(file, JSON.stringify({ puzzles }));
  const options = ["--base", url, "--bank", file, "--now-only", "--test-clock-offset-ms", offset];
  const report = await fencepost(`${what}, by a file`, options, {});
  same(`${what}, by a file: the time is told by a header`, report.clock, "the Date header");
}

/** Runs `fencepost audit`, and checks that it found nothing. */
async function fencepost(what, options, settings) {
  const child = spawn(server, ["audit", "--json", ...options], { env: { ...bare(), ...settings }, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = [[], []];
  child.stdout.on("data", (data) => out.push(data));
  child.stderr.on("data", (data) => err.push(data));
  const [code] = await once(child, "close");
  if (out.length === 0) throw new Error(`the audit ended with ${code}: ${err.join("")}`);
  const report = JSON.parse(Buffer.concat(out));
  same(`${what}: nothing is told before its time`, report.findings, []);
  same(`${what}: every comparison was settled`, report.unsettled, []);
  same(`${what}: the exit code`, code, 0);
  return report;
}

/** One puzzle in every state; 1119 is today's. */
function bank() {
  const row = (id, days, photo, rest) => ({ ...puzzle(id, days, photo ? `${host.url}/photo/${id}` : undefined), ...rest });
  return [
    row(1113, 6, false, { name: "Flat iron", price_cents: 3141, description: "It flattens *whatever* it meets." }),
    row(1115, 4, true, { name: "Round vase", price_cents: 1450, description: "Empty, as vases are." }),
    row(1116, 3, true, { name: "Tin kettle", price_cents: 1999, description: "It whistles when it boils." }),
    row(1117, 2, false, { name: "Gas stove", price_cents: 27180, description: "Four rings and an oven." }),
    row(1118, 1, true, { name: "Lamp & shade", price_cents: 5995, description: "It gives a warm light." }),
    row(1119, 0, true, { name: "Grandfather clock", price_cents: 123450, description: "It strikes every *quarter* of an hour." }),
    row(1120, -1, true, { name: "Antique globe", price_cents: 67890, description: "Shows the **world** as it was." }),
    row(1121, -2, true, { name: "Snow shovel", price_cents: 2450, description: "It waits for its season." }),
    row(1123, -4, false, { name: "Sun hat", price_cents: 3075, description: "For a day without any clouds." }),
  ];
}
