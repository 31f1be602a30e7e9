// The bucket of photos fails: to store, to tell that it stored, to give back.
//
// A photo and the page that shows it are kept in two places that know nothing of each other,
// and either may fail alone. A page must not come out whose photo is not stored; an answer
// that has no photo must not wait for a bucket that fails; and a photo that cannot be read
// must not be taken for one that is not there, by anybody who might keep that answer.

import { eventually, same, says } from "../checks.mjs";
import { photo } from "../photo_host.mjs";
import { puzzle } from "../puzzles.mjs";
import { COMPENSATE, PUBLISH, withSites } from "../sites.mjs";
import { putBack, take } from "../state.mjs";
import { PASS, Wire } from "../wire.mjs";

const WITHOUT = 1101;
const WITH = [1102, 1103];
const KIND = "image/png";

export async function failingBucket({ build, host, full }) {
  const wire = new Wire();
  await withSites({ build, workers: { site: {}, "site-later": { ahead: 300_000 } }, wire }, async (sites) => {
    const photos = WITH.map((id, i) => puzzle(id, 3 - i, `${host.url}/photo/${id}`));
    await sites.admin("site", "POST", "/puzzles", { puzzles: [puzzle(WITHOUT, 4), ...photos] });
    const before = await take(sites);
    const table = [];
    for (const fate of full ? ["lost on the way", "answer lost"] : ["answer lost"]) {
      table.push({ "a put is": fate, ...(await storing(sites, host, wire, before, fate)) });
    }
    console.table(table);
    await reading(sites, wire);
  });
}

/** One put fails, then every one. */
async function storing(sites, host, wire, before, fate) {
  const row = {};
  await putBack(sites, before);
  host.forget();
  let puts = 0;
  wire.heed((call) => (call.method === "put" && (puts += 1) === 1 ? fate : "pass"));
  await sites.fire(PUBLISH, ["site"]);
  row["puts when one fails"] = puts;
  await sites.fire(COMPENSATE, ["site-later"]);
  await allOut(sites, `a put is ${fate}`);
  same(`a put is ${fate}: each photo is fetched once`, WITH.map((id) => host.times(`/photo/${id}`)), [1, 1]);

  await putBack(sites, before);
  host.forget();
  puts = 0;
  wire.heed((call) => {
    if (call.method !== "put") return "pass";
    puts += 1;
    return fate;
  });
  await sites.fire(PUBLISH, ["site"]);
  row["puts when all fail"] = puts;
  wire.heed(PASS);
  const { commit_receipts } = await sites.rows("commit_receipts");
  same(`every put is ${fate}: what needs none is out`, commit_receipts.map((receipt) => receipt.puzzle_id), [WITHOUT]);
  for (const id of WITH) {
    const item = await sites.admin("site", "GET", `/items/${id}`);
    same(`every put is ${fate}: ${id} waits`, [item.state, item.attempts, item.image.state], ["scheduled", 1, "failed"]);
    for (const part of ["cannot store the object", "check the R2 bucket"]) says(`the photo of ${id}`, item.image.error, part);
    same(`every put is ${fate}: ${id} tells why`, item.blocked_by.map((hindrance) => hindrance.predicate), ["image_ready"]);
    const page = await sites.ask("site", `/answers/${id}`);
    same(`every put is ${fate}: ${id} is not out`, [page.status, page.headers.has("retry-after")], [404, true]);
    await page.text();
  }
  await sites.fire(COMPENSATE, ["site-later"]);
  await allOut(sites, `every put was ${fate}`);
  return row;
}

/** Everything is out once, with each photo stored once. */
async function allOut(sites, what) {
  const { commit_receipts, source_images } = await sites.rows("commit_receipts", "source_images");
  const out = commit_receipts.map((receipt) => `${receipt.kind} ${receipt.puzzle_id}`).sort();
  same(`${what}: every answer is out once`, out, [WITHOUT, ...WITH].map((id) => `publish ${id}`));
  same(`${what}: each photo is stored once`, await sites.keys(), source_images.map((image) => image.object_key).sort());
  same(`${what}: the site verifies`, await sites.admin("site", "GET", "/verify"), { ok: true, violations: [] });
}

/** Every get fails, and then none. */
async function reading(sites, wire) {
  const [id] = WITH;
  const page = async () => {
    const response = await sites.ask("site", `/answers/${id}`);
    return { status: response.status, html: await response.text() };
  };
  const [address] = (await page()).html.match(/\/images\/[0-9a-f]{64}\.png/);
  const image = (headers = {}) => sites.ask("site", address, { headers });
  const etag = `"${address.slice("/images/".length)}"`;

  wire.heed((call) => (call.binding === "BLOBS" ? "lost on the way" : "pass"));
  const bad = await image();
  const told = ["cache-control", "content-type", "etag"].map((name) => bad.headers.get(name));
  same("a photo that cannot be read is a failure to try again", [bad.status, ...told], [503, "no-store", "text/html; charset=utf-8", null]);
  same("and says when", Number(bad.headers.get("retry-after")) > 0, true);
  same("and tells nothing of the bucket", /bucket|object|R2/.test(await bad.text()), false);
  await eventually("the log tells of the bucket", () => sites.log().includes("cannot read the object"));
  same("who has the photo may show it", (await image({ "if-none-match": etag })).status, 304);
  for (const path of ["/", "/answers", `/answers/${id}`]) {
    const response = await sites.ask("site", path);
    same(`${path} is shown all the same`, response.status, 200);
    await response.text();
  }
  const { ok, violations } = await sites.admin("site", "GET", "/verify");
  same("verify tells", [ok, violations.length], [false, WITH.length]);

  wire.heed(PASS);
  const shown = async (when) => {
    const response = await image();
    const bytes = Buffer.from(await response.arrayBuffer());
    const told = [response.status, response.headers.get("content-type"), response.headers.get("etag")];
    same(`the photo is shown ${when}`, [...told, bytes.equals(photo(String(id)))], [200, KIND, etag, true]);
  };
  await shown("again");
  await eventually("the cache keeps it", async () => {
    wire.heed(PASS);
    await shown("again and again");
    return wire.calls.every((call) => call.binding !== "BLOBS");
  });
  wire.heed((call) => (call.binding === "BLOBS" ? "lost on the way" : "pass"));
  await shown("while the cache has it");
  wire.heed(PASS);
}
