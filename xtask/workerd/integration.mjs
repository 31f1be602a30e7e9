// Two Workers publish the same answers at the same instant, on one D1 database and one R2
// bucket: the old version of a site and the new one, with both their crons still set.
//
//   node integration.mjs BUILD_FOLDER ROUNDS
//
// Each round starts from an empty database. Seven puzzles are imported: six are over, one
// is today's. The publishing cron fires on both Workers at once, then the compensating one
// several times. Whatever the interleaving, each answer must have come out once.

import { failed, finish, same, says } from "./checks.mjs";
import { photo, photoHost } from "./photo_host.mjs";
import { TOKEN, start } from "./sites.mjs";

const [build, rounds] = process.argv.slice(2);

const NOW = Date.parse("2026-11-28T12:00:00Z");
const DAY = 86_400_000;
const PUBLISH = "10 0 * * *";
const COMPENSATE = "25 * * * *";
const BOTH = ["site-old", "site-new"];
const IDS = [1001, 1002, 1003, 1004, 1005, 1006, 1007];
const OVER = IDS.slice(0, 6);
const TODAY = 1007;

const host = await photoHost();
const table = [];
try {
  for (let round = 1; round <= Number(rounds); round += 1) await play(round);
  await frugal();
  await hungUp();
  await strangers();
  await misconfigured();
} finally {
  host.stop();
}
console.table(table);
finish();

/** A puzzle played `days` ago. */
function puzzle(id, days, image) {
  const play_date = new Date(NOW - days * DAY).toISOString().slice(0, 10);
  const row = { id, play_date, name: `Thing ${id}`, price_cents: id, description: `The *thing* ${id}.` };
  return image === undefined ? row : { ...row, image_url: `${host.url}${image}` };
}

async function play(round) {
  host.forget();
  const begun = Date.now();
  const failedBefore = failed();
  const sites = await start(build, NOW, { "site-old": {}, "site-new": {} });
  try {
    const puzzles = IDS.map((id) => puzzle(id, TODAY - id, `/photo/${id}`));
    const imported = await sites.admin("site-old", "POST", "/puzzles", { puzzles });
    same("all puzzles are imported", imported.inserted, 7);

    const outcomes = await sites.fire(PUBLISH, BOTH);
    for (let i = 0; i < 3; i += 1) outcomes.push(...(await sites.fire(COMPENSATE, BOTH)));
    same("no cron breaks off", outcomes.filter((outcome) => outcome !== "ok"), []);

    await publishedOnce(sites);
    await photosOnce(sites);
    await shown(sites);
    await settled(sites);
    table.push({ round, ...(await share(sites)), ms: Date.now() - begun, ok: failed() === failedBefore });
    await insured(sites);
    if (failed() > failedBefore) console.log(`round ${round} logged:\n${sites.log()}`);
  } finally {
    await sites.stop();
  }
}

async function publishedOnce(sites) {
  const { daily_quotas, answer_posts, site_state, commit_receipts, publication_items } = await sites.rows(
    "daily_quotas", "answer_posts", "site_state", "commit_receipts", "publication_items",
  );
  same("one day's quota counts six pages", daily_quotas, [{ utc_day: NOW / DAY - 0.5, published: 6, quota: 100 }]);
  same("six pages at version one", answer_posts.map((page) => [page.puzzle_id, page.content_version]), OVER.map((id) => [id, 1]));
  same("the revision is six", site_state.map((row) => [row.publication_revision, row.bank_revision]), [[6, 1]]);
  const revisions = commit_receipts.map((receipt) => receipt.revision).sort((a, b) => a - b);
  same("six receipts, one per revision", revisions, [1, 2, 3, 4, 5, 6]);
  same("every receipt is a publication", commit_receipts.filter((receipt) => receipt.kind !== "publish"), []);
  const states = publication_items.map((item) => [item.puzzle_id, item.state]);
  same("six items are published, and today's waits", states, IDS.map((id) => [id, id === TODAY ? "scheduled" : "published"]));
  same("the site verifies", await sites.admin("site-new", "GET", "/verify"), { ok: true, violations: [] });
}

async function photosOnce(sites) {
  const { source_images } = await sites.rows("source_images");
  same("seven photos are ready", source_images.filter((image) => image.state === "ready").length, 7);
  same("each was downloaded once", IDS.map((id) => host.times(`/photo/${id}`)), IDS.map(() => 1));
  const { objects } = await sites.bucket.list({ include: ["httpMetadata"] });
  same("seven objects are stored", objects.map((object) => object.key).sort(), source_images.map((image) => image.object_key).sort());
  same("as what they are", objects.filter((object) => object.httpMetadata.contentType !== "image/png"), []);
}

async function shown(sites) {
  for (const name of BOTH) {
    const page = await sites.ask(name, "/answers/1001");
    same(`${name} shows the page`, [page.status, page.headers.get("x-publication-revision")], [200, "6"]);
    const html = await page.text();
    says(`${name} shows the page`, html, "https://prices.example/answers/1001");
    const image = await sites.ask(name, html.match(/\/images\/[0-9a-f]{64}\.png/)[0]);
    const bytes = Buffer.from(await image.arrayBuffer());
    same(`${name} shows the photo`, [image.status, image.headers.get("content-type"), bytes.equals(photo("1001"))], [200, "image/png", true]);
    const unchanged = await sites.ask(name, "/answers/1001", { headers: { "if-none-match": page.headers.get("etag") } });
    same(`${name} answers 304`, [unchanged.status, await unchanged.text()], [304, ""]);
    const head = await sites.ask(name, "/answers/1001", { method: "HEAD" });
    same(`${name} answers HEAD`, [head.status, await head.text()], [200, ""]);
    const today = await sites.ask(name, `/answers/${TODAY}`);
    same(`${name} keeps today's answer`, [today.status, today.headers.has("retry-after")], [404, true]);
    same(`${name} shows today's answer nowhere`, (await today.text()).includes("10.07"), false);
    const odd = await sites.ask(name, "/", { headers: { referer: "https://a.example/ü" } });
    same(`${name} takes any header`, odd.status, 200);
    await odd.text();
    const unknown = await sites.ask(name, "/admin/api/status");
    same(`${name} keeps strangers out`, unknown.status, 401);
    await unknown.text();
  }
}

/** Two more runs at once change nothing but the record of runs. */
async function settled(sites) {
  const tables = (await sites.tables()).filter((table) => table !== "job_runs");
  same("all tables are looked at", tables.length >= 9, true);
  const before = await sites.rows(...tables);
  await sites.fire(COMPENSATE, BOTH);
  const after = await sites.rows(...tables);
  for (const table of tables) same(`${table} stays as it is`, after[table], before[table]);
}

/** Which Worker's runs published how much: that both were at work is the point. */
async function share(sites) {
  const { commit_receipts, job_runs } = await sites.rows("commit_receipts", "job_runs");
  const owners = new Set(commit_receipts.map((receipt) => receipt.owner_id));
  const held = job_runs.reduce((sum, run) => sum + (JSON.parse(run.counts).lease_held ?? 0), 0);
  return { published: commit_receipts.length, "by runs": owners.size, runs: job_runs.length, "lease held": held };
}

/** No cron fires, and a reader comes by. */
async function insured(sites) {
  await sites.admin("site-old", "POST", "/puzzles", { puzzles: [puzzle(900, 30)] });
  const reader = await sites.ask("site-new", "/");
  same("the reader does not wait", [reader.status, reader.headers.get("x-publication-revision")], [200, "6"]);
  await reader.text();
  let page;
  for (let i = 0; i < 100 && page?.status !== 200; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    page = await sites.ask("site-old", "/answers/900");
    await page.text();
  }
  same("what a reader found overdue came out", [page.status, page.headers.get("x-publication-revision")], [200, "7"]);
  const { commit_receipts } = await sites.rows("commit_receipts");
  same("and once", commit_receipts.filter((receipt) => receipt.puzzle_id === 900).length, 1);
}

/** A Worker that may make as many calls as on the free plan publishes little in a run, and says so. */
async function frugal() {
  const sites = await start(build, NOW, { "site-free": { FENCEPOST_QUERY_BUDGET: "50" } });
  const run = async () => {
    const { counts, left, interrupted, budget } = await sites.admin("site-free", "POST", "/jobs/publish");
    return { published: counts.published, left, interrupted, ...budget };
  };
  try {
    await sites.admin("site-free", "POST", "/puzzles", { puzzles: OVER.map((id) => puzzle(id, TODAY - id)) });
    same("four pages are affordable", await run(), { published: 4, left: 2, interrupted: true, spent: 46, limit: 50 });
    same("then the rest", await run(), { published: 2, left: 0, interrupted: false, spent: 27, limit: 50 });

    // Three redirects and the photo, and a bucket that is asked once; then once more, as it has the photo.
    for (const [id, spent] of [[2001, 29], [2002, 30]]) {
      await sites.admin("site-free", "POST", "/puzzles", { puzzles: [puzzle(id, id - 1900, "/hop/3")] });
      same("every address and every look into the bucket counts", await run(), { published: 1, left: 0, interrupted: false, spent, limit: 50 });
    }

    const more = OVER.map((id) => puzzle(2000 + id, 200 + TODAY - id));
    await sites.admin("site-free", "POST", "/puzzles", { puzzles: more });
    const reader = await sites.ask("site-free", "/");
    same("a reader gets the page", reader.status, 200);
    await reader.text();
    const left = async () => (await sites.admin("site-free", "GET", "/status")).overdue;
    for (let i = 0; i < 100 && (await left()) > 3; i += 1) await new Promise((resolve) => setTimeout(resolve, 50));
    same("the run behind it publishes what the reader leaves of the calls", await left(), 3);
    same("the cron goes on", [await sites.fire(COMPENSATE, ["site-free"]), await left()], [["ok"], 0]);
    says("the log", sites.log(), '"limit":40');
    says("the log", sites.log(), '"left":3');
    same("all is out once", (await sites.rows("commit_receipts")).commit_receipts.length, 14);
    if (failed() > 0) console.log(sites.log());
  } finally {
    await sites.stop();
  }
}

/**
 * An operator asks for a run over the network and hangs up before it is done. On this
 * machine the runtime lets a request go on by itself; Cloudflare ends it unless the Worker
 * says otherwise, which this cannot show.
 */
async function hungUp() {
  const sites = await start(build, NOW, { "site-old": {} });
  try {
    const puzzles = OVER.map((id) => puzzle(id, TODAY - id, `/slow/${id}`));
    await sites.admin("site-old", "POST", "/puzzles", { puzzles });
    const address = `${sites.url}/admin/api/jobs/publish`;
    const asked = fetch(address, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}` },
      signal: AbortSignal.timeout(700),
    });
    same("the operator hangs up", await asked.then(() => "answered", (error) => error.name), "TimeoutError");
    const out = async () => (await sites.rows("answer_posts")).answer_posts.length;
    same("not everything is out by then", (await out()) < OVER.length, true);
    for (let i = 0; i < 200 && (await out()) < OVER.length; i += 1) await new Promise((resolve) => setTimeout(resolve, 50));
    same("the run goes on to its end", await out(), OVER.length);
  } finally {
    await sites.stop();
  }
}

/** Photos from hosts that do not behave. */
async function strangers() {
  const again = "the next run tries again";
  const correct = "correct image_url and import again";
  const cases = [
    ["/polite/x", "published"],
    ["/hop/3", "published"],
    ["/to/x?%2Fphoto%2Fto", "published"],
    ["/hop/4", "blocked", "redirects more than 3 times", correct],
    ["/to/x?ftp:%2F%2Fa.example%2F", "blocked", "redirects to an address with the scheme ftp", correct],
    ["/to/x", "blocked", "redirects"],
    ["/status/404", "blocked", "answered 404 Not Found", correct],
    ["/status/503", "scheduled", "answered 503 Service Unavailable", again],
    ["/page/x", "blocked", "sends text/html, not a photo", correct],
    ["/lying/x", "blocked", "bytes that are no JPG, PNG", correct],
    ["/empty/x", "blocked", "sent 0 bytes", correct],
    ["/endless/x", "blocked", "more than 8388608 bytes", "choose a smaller photo"],
    ["/promised/x", "blocked", "more than 8388608 bytes", "choose a smaller photo"],
    ["/cut/x", "scheduled", "broke off", again],
    ["/status/404?signature=hunter2", "blocked", "/status/404?… answered 404"],
  ];
  const sites = await start(build, NOW, { "site-old": {}, "site-strict": { FENCEPOST_ALLOW_PRIVATE_IMAGES: "false" } });
  try {
    const puzzles = cases.map(([image], i) => puzzle(2000 + i, 100 - i, image));
    await sites.admin("site-old", "POST", "/puzzles", { puzzles });
    await sites.fire(COMPENSATE, ["site-old"]);
    for (const [i, [image, state, ...parts]] of cases.entries()) {
      const item = await sites.admin("site-old", "GET", `/items/${2000 + i}`);
      same(`the item of ${image}`, item.state, state);
      for (const part of parts) says(`the photo at ${image}`, item.image?.error ?? "nothing", part);
      same(`${image} tells no secret`, JSON.stringify(item.image?.error ?? "").includes("hunter2"), false);
    }
    await sites.admin("site-old", "POST", "/puzzles", { puzzles: [puzzle(3000, 50, "/photo/private")] });
    await sites.fire(COMPENSATE, ["site-strict"]);
    const item = await sites.admin("site-old", "GET", "/items/3000");
    same("a private host is not visited", [item.state, host.times("/photo/private")], ["blocked", 0]);
    says("a private host", item.image.error, "127.0.0.1 is not a public name");
    if (failed() > 0) console.log(sites.log());
  } finally {
    await sites.stop();
  }
}

/** A setting that cannot be stops the site, and the log names it. */
async function misconfigured() {
  const sites = await start(build, NOW, {
    "site-lease": { FENCEPOST_LEASE_SECONDS: "0" },
    "site-clock": { FENCEPOST_ENVIRONMENT: "production" },
    "site-budget": { FENCEPOST_QUERY_BUDGET: "20" },
  });
  try {
    for (const name of ["site-lease", "site-clock", "site-budget"]) {
      const response = await sites.ask(name, "/healthz");
      same(`${name} refuses`, [response.status, response.headers.get("cache-control")], [500, "no-store"]);
      says(name, await response.text(), "not set up correctly");
      same(`the cron of ${name} breaks nothing`, await sites.fire(COMPENSATE, [name]), ["ok"]);
    }
    says("the log", sites.log(), "FENCEPOST_LEASE_SECONDS cannot be used: write a whole number from 1 to 900");
    says("the log", sites.log(), "remove FENCEPOST_TEST_CLOCK_OFFSET_MS");
    says("the log", sites.log(), "FENCEPOST_QUERY_BUDGET cannot be used: write a whole number from 42 to 1000");
    same("no job ran", await sites.rows("job_runs"), { job_runs: [] });
  } finally {
    await sites.stop();
  }
}
