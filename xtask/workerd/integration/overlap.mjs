// Two Workers publish the same answers at the same instant, on one D1 database and one R2
// bucket: the old version of a site and the new one, with both their crons still set.
//
// Each round starts from an empty database. Seven puzzles are imported: six are over, one
// is today's. The publishing cron fires on both Workers at once, then the compensating one
// several times. Whatever the interleaving, each answer must have come out once.

import { failed, same, sameRows, says } from "../checks.mjs";
import { photo } from "../photo_host.mjs";
import { DAY, NOW, puzzle } from "../puzzles.mjs";
import { COMPENSATE, PUBLISH, withSites } from "../sites.mjs";

const BOTH = ["site-old", "site-new"];
const IDS = [1001, 1002, 1003, 1004, 1005, 1006, 1007];
const OVER = IDS.slice(0, 6);
const TODAY = 1007;

export async function overlap({ build, host, rounds }) {
  const table = [];
  for (let round = 1; round <= rounds; round += 1) {
    host.forget();
    const begun = Date.now();
    const failedBefore = failed();
    await withSites({ build, workers: { "site-old": {}, "site-new": {} } }, async (sites) => {
      await play(sites, host);
      table.push({ round, ...(await share(sites)), ms: Date.now() - begun, ok: failed() === failedBefore });
    });
  }
  console.table(table);
}

async function play(sites, host) {
  const puzzles = IDS.map((id) => puzzle(id, TODAY - id, `${host.url}/photo/${id}`));
  const imported = await sites.admin("site-old", "POST", "/puzzles", { puzzles });
  same("all puzzles are imported", imported.inserted, 7);

  const outcomes = await sites.fire(PUBLISH, BOTH);
  for (let i = 0; i < 3; i += 1) outcomes.push(...(await sites.fire(COMPENSATE, BOTH)));
  same("no cron breaks off", outcomes.filter((outcome) => outcome !== "ok"), []);

  await publishedOnce(sites);
  await photosOnce(sites, host);
  for (const name of BOTH) await shown(sites, name);
  await settled(sites);
}

async function publishedOnce(sites) {
  const { daily_quotas, answer_posts, site_state, commit_receipts, publication_items } = await sites.rows(
    "daily_quotas", "answer_posts", "site_state", "commit_receipts", "publication_items",
  );
  same("one day's quota counts six pages", daily_quotas, [{ utc_day: NOW / DAY - 0.5, published: 6, quota: 100, set_quota: null }]);
  same("six pages at version one", answer_posts.map((page) => [page.puzzle_id, page.content_version]), OVER.map((id) => [id, 1]));
  // One import, and seven photos that pages show from then on.
  same("the revision is six", site_state.map((row) => [row.publication_revision, row.bank_revision]), [[6, 8]]);
  const revisions = commit_receipts.map((receipt) => receipt.revision).sort((a, b) => a - b);
  same("six receipts, one per revision", revisions, [1, 2, 3, 4, 5, 6]);
  same("every receipt is a publication", commit_receipts.filter((receipt) => receipt.kind !== "publish"), []);
  const states = publication_items.map((item) => [item.puzzle_id, item.state]);
  same("six items are published, and today's waits", states, IDS.map((id) => [id, id === TODAY ? "scheduled" : "published"]));
  same("the site verifies", await sites.admin("site-new", "GET", "/verify"), { ok: true, violations: [] });
}

async function photosOnce(sites, host) {
  const { source_images } = await sites.rows("source_images");
  same("seven photos are ready", source_images.filter((image) => image.state === "ready").length, 7);
  same("each was downloaded once", IDS.map((id) => host.times(`/photo/${id}`)), IDS.map(() => 1));
  const { objects } = await sites.bucket.list({ include: ["httpMetadata"] });
  same("seven objects are stored", objects.map((object) => object.key).sort(), source_images.map((image) => image.object_key).sort());
  same("as what they are", objects.filter((object) => object.httpMetadata.contentType !== "image/png"), []);
}

async function shown(sites, name) {
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

/** Two more runs at once change nothing but the record of runs. */
async function settled(sites) {
  const { job_runs: _, ...before } = await sites.rows();
  same("all tables are looked at", Object.keys(before).length >= 9, true);
  await sites.fire(COMPENSATE, BOTH);
  const { job_runs: __, ...after } = await sites.rows();
  sameRows("two more runs change nothing", after, before);
}

/** Which Worker's runs published how much: that both were at work is the point. */
async function share(sites) {
  const { commit_receipts, job_runs } = await sites.rows("commit_receipts", "job_runs");
  const owners = new Set(commit_receipts.map((receipt) => receipt.owner_id));
  const held = job_runs.reduce((sum, run) => sum + (JSON.parse(run.counts).lease_held ?? 0), 0);
  return { published: commit_receipts.length, "by runs": owners.size, runs: job_runs.length, "lease held": held };
}
