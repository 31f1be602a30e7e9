// Random requests to every route of the server and of the Worker: none is a fault, none is
// granted that should not be, and none changes anything.
//
//   node strangers.mjs BUILD_FOLDER SERVER REQUESTS SEED (all|server|worker) (all|ROUTE)
//
// Each site has one puzzle in every state, a game under way, and one result that stands.
// Requests are made by dice, each by its seed, route and number alone, so that the same are
// sent whenever the same is asked for. What every table and bucket holds is compared, before
// and after.

import path from "node:path";
import { TOKEN } from "./admin.mjs";
import { broke, finish, none, same, sameRows } from "./checks.mjs";
import { photoHost } from "./photo_host.mjs";
import { NOW, puzzle } from "./puzzles.mjs";
import { serve } from "./server.mjs";
import { start } from "./sites.mjs";
import { foundOut } from "./strangers/found_out.mjs";
import { judge } from "./strangers/judge.mjs";
import { request, ROUTES } from "./strangers/requests.mjs";
import { stored } from "./strangers/tables.mjs";
import { FOREIGN, game, OWN, preview } from "./strangers/tokens.mjs";
import { bytes, Wire } from "./strangers/wire.mjs";

const [build, program, count, seed, target, only] = process.argv.slice(2);
if (only !== "all" && !(only in ROUTES)) {
  console.log(`there is no route ${only}; there are ${Object.keys(ROUTES).join(", ")}`);
  process.exit(1);
}
/** How many strangers come at once: each waits for an answer before it sends more. */
const CROWD = 4;
/** How many complaints are told for each route: more of the same help nobody. */
const TOLD = 5;
/** Routes that lead nowhere, or nowhere without a token. */
const REFUSED = ["admin", "metrics", "nowhere"];
/** More than an import may have. */
const FLOOD = 17 * 1024 * 1024;
const SESSION = "a-session-of-the-strangers";
const SETTINGS = { FENCEPOST_SECRET: OWN.secret, FENCEPOST_ENVIRONMENT: OWN.environment };
/** A guess that wins, and is no price: what somebody has guessed, they may read. */
const NEARLY = 123_453;
/** The prices that are secret, as pages and programs write them. */
const PRICES = ["1234.50", "1,234.50", "123450", "678.90", "67890"];

const host = await photoHost();
try {
  if (target !== "worker") await native();
  if (target !== "server") await worker();
} finally {
  host.stop();
}
finish();

async function native() {
  const settings = { ...SETTINGS, FENCEPOST_ALLOW_PRIVATE_IMAGES: "true", FENCEPOST_TEST_CLOCK_OFFSET_MS: String(NOW - Date.now()) };
  const site = await serve(path.resolve(program), ["--no-cron", "--player-rate", "0"], settings);
  try {
    await visit("server", site.url, true, site.admin, () => stored(site.place));
    none("the server has nothing to regret", regrets(site.log()));
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
    await visit("Worker", sites.url, false, (...words) => sites.admin("site", ...words), all);
    none("the Worker has nothing to regret", regrets(sites.log()));
  } catch (error) {
    broke("the Worker", error);
    console.log(sites.log());
  } finally {
    await sites.stop();
  }
}

/** What a log says of faults: a request that was cut off has nobody to tell them to. */
function regrets(log) {
  return log.split("\n").filter((line) => /panicked|\berror\b|\bwarn/i.test(line)).slice(0, TOLD);
}

/** Stocks a site, sends it everything, and compares what it stores. */
async function visit(name, url, bare, admin, everything) {
  const known = { ...(await stock(url, admin)), bare };
  foundOut(known);
  const before = await everything();
  same(`the ${name} has something to lose`, [before.daily_results.length, before.answer_posts.length, before.photos.length], [1, 3, 4]);
  const table = {};
  for (const route of Object.keys(ROUTES).filter((route) => only === "all" || only === route)) {
    const { complaints, statuses, seconds } = await storm(route, url, known);
    none(`the ${name}, ${route}`, complaints.slice(0, TOLD));
    same(`the ${name}, ${route}: every request was answered for`, Object.values(statuses).reduce((sum, n) => sum + n, 0), Number(count));
    if (!REFUSED.includes(route)) same(`the ${name}, ${route}: some are granted`, (statuses[200] ?? 0) > 0, true);
    table[route] = { ...statuses, seconds };
    console.log(`the ${name}, ${route}: ${seconds} s`);
  }
  if (only === "all") table.flood = await flood(name, url, known);
  sameRows(`the ${name} is what it was`, await everything(), before);
  console.log(`\nthe ${name}, ${count} requests to each route by seed ${seed}:`);
  console.table(table);
}

/** Sends the requests of one route, a few at a time. */
async function storm(route, url, known) {
  const [complaints, statuses, begun] = [[], {}, Date.now()];
  let next = 0;
  const stranger = async () => {
    const wire = new Wire(url);
    for (let nth = next; nth < Number(count); nth = next) {
      next += 1;
      const asked = request(seed, route, nth, known);
      const answer = await wire.send(asked);
      const status = answer?.status ?? "unanswered";
      statuses[status] = (statuses[status] ?? 0) + 1;
      const complaint = judge(asked, answer, known);
      if (complaint !== undefined) complaints.push(`number ${nth}: ${complaint}\n${told(asked, answer)}`);
    }
    wire.close();
  };
  await Promise.all(Array.from({ length: CROWD }, stranger));
  return { complaints, statuses, seconds: Math.round((Date.now() - begun) / 100) / 10 };
}

/** Sends far too much to whoever takes a body. */
async function flood(name, url, known) {
  const statuses = {};
  for (const target of ["/play/1119", "/api/puzzles/1119/guess", "/api/results", "/admin/api/puzzles"]) {
    const type = target.startsWith("/play") ? "application/x-www-form-urlencoded" : "application/json";
    const asked = { method: "POST", target, headers: [["host", known.host], ["content-type", type]], body: " ".repeat(FLOOD) };
    const wire = new Wire(url);
    const answer = await wire.send(asked);
    wire.close();
    none(`the ${name}, a flood to ${target}`, [judge(asked, answer, known)].filter((complaint) => complaint !== undefined));
    const status = answer?.status ?? "unanswered";
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

/** A request and its answer, with every byte that is no letter spelled out. */
function told(asked, answer) {
  const spelled = (text) => JSON.stringify(text.length > 1_500 ? `${text.slice(0, 1_500)}… (${text.length} bytes)` : text);
  const got = answer === undefined ? "nothing" : `${answer.status} ${spelled(answer.body.slice(0, 300))}`;
  return `      ${spelled(bytes(asked).toString("latin1"))}\n      was answered with ${got}`;
}

/** Fills a site, plays a little, and tells what strangers may know, and may not. */
async function stock(url, admin) {
  const row = (id, days, photo, rest = {}) => ({ ...puzzle(id, days, photo ? `${host.url}/photo/${id}` : undefined), ...rest });
  await admin("POST", "/puzzles", {
    puzzles: [
      row(1114, 5, false), row(1115, 4, true), row(1116, 3, true), row(1118, 1, true, { name: "Lamp & shade" }),
      row(1119, 0, true, { price_cents: 123_450 }), row(1120, -1, true, { price_cents: 67_890 }), row(1121, -2, false),
    ],
  });
  await admin("POST", "/items/1114/withdraw");
  await admin("POST", "/jobs/publish");
  await admin("POST", "/items/1116/withdraw");
  const ask = async (path, body) => {
    const init = body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return (await fetch(url + path, init)).text();
  };
  const play = async (body) => JSON.parse(await ask("/api/puzzles/1119/guess", body)).game;
  const first = await play({ guess_cents: 1, session_id: SESSION });
  same("a token is what its description says", first, game(OWN, 1119, "1h", SESSION));
  const second = await play({ guess_cents: 200_000, game: first });
  const recorded = await play({ guess_cents: NEARLY, session_id: SESSION });
  const { status } = JSON.parse(await ask("/api/results", { game: recorded }));
  same("a result stands", status, "recorded");

  const keys = [];
  for (const id of [1115, 1118, 1119, 1116]) keys.push((await admin("GET", `/items/${id}`)).image.object_key);
  const home = await ask("/");
  const assets = [...new Set(home.match(/\/assets\/[^"]+/g))];
  const ended = ["1h-1h-1h-1h-1h-1h", `${NEARLY}c`];
  const foreign = FOREIGN.flatMap((site) => ["1h", ...ended].map((turns) => game(site, 1119, turns, SESSION)));
  const others = [1114, 1116, 1118, 1120, 4711].flatMap((id) => ["1h", ...ended].map((turns) => game(OWN, id, turns, SESSION)));
  const misused = game(OWN, 1119, "1h", SESSION, "preview page");
  const never = NOW + 10 ** 10;
  const ownLinks = [preview(OWN, 1120, never), preview(OWN, 1118, never), preview(OWN, 1118, never, keys[1])];
  const badLinks = [preview(FOREIGN[0], 1120, never), preview(FOREIGN[1], 1120, never), preview(OWN, 1120, NOW - 1), preview(OWN, 4711, never)];
  const badPhotos = [preview(FOREIGN[0], 1118, never, keys[1]), preview(OWN, 1118, NOW - 1, keys[1]), preview(OWN, 1118, never, keys[0])];
  return {
    host: new URL(url).host,
    token: TOKEN,
    session: SESSION,
    prices: PRICES,
    ids: ["1114", "1115", "1116", "1118", "1119", "1119", "1119", "1119", "1120", "1121", "4711"],
    keys,
    assets,
    tokens: [first, second, first, second, recorded, recorded, recorded, ...foreign, ...others, misused],
    goingOn: [first, second],
    recorded,
    previews: [...ownLinks.slice(0, 2), ...badLinks],
    previewPhotos: [ownLinks[2], ...badPhotos],
    ownLinks,
    addresses: [
      "/", "/answers", "/robots.txt", "/api/openapi.json", "/feed.xml", "/sitemap.xml", "/healthz", "/readyz", "/play/1119", ...assets,
      ...["1115", "1118"].flatMap((id) => [`/answers/${id}`, `/api/puzzles/${id}/stats`]),
      ...keys.slice(0, 3).map((key) => `/images/${key}`),
    ],
  };
}
