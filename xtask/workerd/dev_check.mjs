// Starts the Worker as a developer does, twice in one folder, and looks at it.
//
//   node dev_check.mjs WRANGLER_TOML BUILD_FOLDER STATE_FOLDER PORT
//
// The tables have to be there, and nothing else.

import { finish, same, says } from "./checks.mjs";
import { next } from "./crons.mjs";
import { develop } from "./dev_site.mjs";

times();
await visit(fresh);
await visit(again);
finish();

/** A start, a look around, and a Ctrl-C. */
async function visit(look) {
  const site = await develop(process.argv.slice(2));
  try {
    await look(site);
    same("nothing is complained of", site.lines.filter((line) => /WARN|ERROR/.test(line)), []);
    same("Ctrl-C ends it in order", await site.stop(), [0, null]);
    says("the last word", site.lines.at(-1), "stopped");
  } finally {
    site.kill();
  }
}

async function fresh(site) {
  same("the bank is new", site.said("stocked the bank with 14 puzzles") !== undefined, true);
  await shown(site);
}

async function again(site) {
  same("the bank is the old one", site.said("the bank is stocked already") !== undefined, true);
  await shown(site);
}

/** What is due is out with its photo and once, and today's answer is not. */
async function shown({ url, admin }) {
  const { now, published, publication_revision } = await admin("GET", "/status");
  const { items } = await admin("GET", "/items");
  const due = items.filter((item) => item.due_at <= now).length;
  // Seven, for whoever looks just when one more becomes due.
  same("six answers are due", due === 6 || due === 7, true);
  same("each is out, once", [published, publication_revision], [due, due]);
  const home = await fetch(url);
  same("the home page is shown", home.status, 200);
  await home.text();
  for (const { puzzle_id } of items.filter((item) => item.state === "published")) {
    const page = await fetch(`${url}/answers/${puzzle_id}`);
    const html = await page.text();
    same(`answer ${puzzle_id} is shown`, page.status, 200);
    says(`answer ${puzzle_id}`, html, `${url}/answers/${puzzle_id}`);
    const photo = await fetch(url + html.match(/\/images\/[0-9a-f]{64}\.webp/));
    const bytes = Buffer.from(await photo.arrayBuffer());
    same(`its photo is shown`, [photo.status, photo.headers.get("content-type"), bytes.toString("latin1", 8, 12)], [200, "image/webp", "WEBP"]);
  }
  const today = items.find((item) => item.play_date === new Date(now).toISOString().slice(0, 10));
  const early = await fetch(`${url}/answers/${today.puzzle_id}`);
  same("today's answer is kept", [early.status, early.headers.has("retry-after")], [404, true]);
  await early.text();
  same("the site verifies", await admin("GET", "/verify"), { ok: true, violations: [] });
}

/** When crons are fired. */
function times() {
  for (const [cron, after, expected] of [
    ["10 0 * * *", "2026-11-29T00:09:59.999Z", "2026-11-29T00:10:00.000Z"],
    ["10 0 * * *", "2026-11-29T00:10:00.000Z", "2026-11-30T00:10:00.000Z"],
    ["10 0 * * *", "2026-12-31T23:00:00.000Z", "2027-01-01T00:10:00.000Z"],
    ["25 * * * *", "2026-11-29T00:10:00.000Z", "2026-11-29T00:25:00.000Z"],
    ["25 * * * *", "2026-11-29T00:25:00.000Z", "2026-11-29T01:25:00.000Z"],
    ["25 * * * *", "2026-11-29T23:25:00.001Z", "2026-11-30T00:25:00.000Z"],
  ]) {
    same(`${cron} after ${after}`, new Date(next(cron, Date.parse(after))).toISOString(), expected);
  }
}
