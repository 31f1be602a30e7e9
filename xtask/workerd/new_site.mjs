// Looks at a site that `cargo xtask new` made, built as a Worker, in workerd: nothing early,
// published once by two crons at once, and no old page from then on.
//
//   node new_site.mjs FOLDER

import assert from "node:assert/strict";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Miniflare, Log, LogLevel } from "miniflare";
import { built } from "./built.mjs";
import { migrate } from "./migrations.mjs";

const [folder] = process.argv.slice(2);
const HOUR_MS = 3_600_000;
/** How long a publication may take once it is due. */
const PATIENCE_MS = 60_000;

const said = [];
const site = {
  ...built(path.join(folder, "build")),
  compatibilityDate: "2026-04-01",
  d1Databases: { DB: "new-site" },
};
// Two versions of a Worker, on one database, while one takes the place of the other.
const miniflare = new Miniflare({
  rootPath: site.rootPath,
  workers: [{ name: "new", ...site }, { name: "old", ...site }],
  log: new Log(LogLevel.NONE),
  handleRuntimeStdio(stdout, stderr) {
    for (const stream of [stdout, stderr]) stream.on("data", (data) => said.push(data.toString()));
  },
});

async function get(address) {
  const response = await miniflare.dispatchFetch(`http://site.example${address}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function crons() {
  const fire = async (name) => (await miniflare.getWorker(name)).scheduled({ cron: "* * * * *" });
  const outcomes = await Promise.all(["new", "old"].map(fire));
  for (const { outcome } of outcomes) assert.equal(outcome, "ok");
}

try {
  const database = await miniflare.getD1Database("DB", "new");
  await migrate(database, path.join(folder, "migrations"));
  const add = "INSERT INTO posts (slug, title, body, due_at) VALUES ('hello', 'Hello & welcome', 'It is out.', ?1)";
  await database.prepare(add).bind(Date.now() + HOUR_MS).run();

  await crons();
  const early = await get("/hello");
  const home = await get("/");
  assert.equal(early.status, 404);
  assert.equal(home.status, 200);
  assert.match(home.text, /Nothing is out yet/);
  assert.equal(home.headers.get("cache-control"), "public, max-age=0, must-revalidate");

  const dueAt = Date.now() + 500;
  await database.prepare("UPDATE posts SET due_at = ?1").bind(dueAt).run();
  // From the instant on, and until somebody publishes, the time says nothing new: what is kept
  // now would be served afterwards, were it not for the revision.
  while (Date.now() <= dueAt) await pause(50);
  for (let times = 0; times < 3; times += 1) assert.match((await get("/")).text, /Nothing is out yet/);
  let page = early;
  while (page.status === 404) {
    assert.ok(Date.now() < dueAt + PATIENCE_MS, "the post is not published");
    await pause(100);
    await crons();
    page = await get("/hello");
  }
  assert.ok(Date.now() >= dueAt, "the post was published early");
  assert.equal(page.status, 200);
  assert.match(page.text, /<p>It is out\.<\/p>/);
  assert.match((await get("/")).text, /<a href="\/hello">Hello &#38; welcome<\/a>/);

  await crons();
  const count = "SELECT (SELECT count(*) FROM pages) AS pages, (SELECT count(*) FROM receipts) AS receipts, revision FROM site_state";
  assert.deepEqual(await database.prepare(count).first(), { pages: 1, receipts: 1, revision: 1 });

  // What is served now is a copy, as soon as it is kept: a change by hand, which raises no
  // revision, is not seen.
  let before = page.text;
  for (let number = 0; ; number += 1) {
    await database.prepare("UPDATE pages SET title = ?1").bind(`Changed by hand ${number}`).run();
    const { text } = await get("/hello");
    if (text === before) break;
    assert.ok(Date.now() < dueAt + PATIENCE_MS, "no copy is kept");
    before = text;
  }

  const posted = await miniflare.dispatchFetch("http://site.example/hello", { method: "POST" });
  assert.equal(posted.status, 405);
  await posted.text();
  console.log("the new site publishes once in workerd, and serves nothing early and nothing old");
} catch (error) {
  console.error(said.join(""));
  throw error;
} finally {
  await miniflare.dispose();
}
