// Two data centres, each with a cache of its own, in which entries outlive whatever they may.
//
// A page that says "not yet" is kept a moment before its instant, and is poison from the
// instant on: in the cache that made it, in the other one, and if the cache ignores the
// lifetime that it was told. And while pages change without a pause, a reply may never be
// older than what was committed before its request began. Clocks are moved by asking a
// Worker that is ahead, in the same data centre; nobody waits.

import { Response } from "miniflare";
import { eventually, same, says } from "../checks.mjs";
import { puzzle } from "../puzzles.mjs";
import { PUBLISH, withSites } from "../sites.mjs";

const SECRET = 1007;
const DUE = Date.parse("2026-11-29T00:10:00Z");
/** A minute before, when a lifetime of five minutes would reach far beyond. */
const BEFORE = DUE - 60_000;
const CENTRES = ["east", "west"];
const ahead = (name) => `${name}-ahead`;
const path = `/answers/${SECRET}`;

export async function twoDataCentres({ build, full }) {
  const workers = {};
  for (const name of CENTRES) {
    const settings = { FENCEPOST_CACHE_ORIGIN: `https://${name}.example` };
    workers[name] = settings;
    workers[ahead(name)] = { ...settings, ahead: DUE - BEFORE };
  }
  await withSites({ build, workers, now: BEFORE }, async (sites) => {
    await sites.admin("east", "POST", "/puzzles", { puzzles: [puzzle(SECRET, 0)] });
    await notYet(sites);
    await fresh(sites, full ? 60_000 : 2_000);
  });
}

async function notYet(sites) {
  const { build_version: version } = await sites.admin("east", "GET", "/status");
  const part = encodeURIComponent;
  const midnight = Date.parse("2026-11-29T00:00:00Z");
  const key = (revision, epoch) =>
    `/test/${part("https://prices.example")}/${part(version)}/c1/${midnight / 86_400_000}/answer/r${revision}/b1/e${epoch}${path}`;
  const cache = await sites.cache();
  const entry = (name, key) => `https://${name}.example/.fencepost-cache${key}`;

  for (const name of CENTRES) {
    const page = await sites.ask(name, path);
    same(`${name} says not yet`, [page.status, Number(page.headers.get("retry-after")) <= 60], [404, true]);
    const body = await page.text();
    const address = entry(name, key(0, midnight));
    await eventually(`${name} keeps that`, async () => (await cache.match(address)) !== undefined);
    // From now on the cache ignores what it was told, and so does the entry itself.
    const kept = await cache.match(address);
    const label = { ...JSON.parse(kept.headers.get("x-fencepost-entry")), fresh_until: DUE + 86_400_000 };
    const plant = (address, label) =>
      cache.put(address, new Response(body, { headers: { "cache-control": "max-age=86400", "x-fencepost-entry": JSON.stringify(label) } }));
    await plant(address, label);
    // And it hands that over when it is asked for what is to come.
    for (const revision of [0, 1]) await plant(entry(name, key(revision, DUE)), label);
  }
  // Or the first reader would have it published.
  await sites.admin("east", "POST", "/pause");
  for (const name of CENTRES) {
    const page = await sites.ask(ahead(name), path);
    same(`${name} does not say so from the instant on`, page.status, 404);
    says(name, await page.text(), "due and on its way");
  }
  await sites.admin("east", "POST", "/resume");
  same("the answer is published", await sites.fire(PUBLISH, [ahead("east")]), ["ok"]);
  for (const name of CENTRES) {
    const page = await sites.ask(ahead(name), path);
    same(`${name} shows it at once`, [page.status, page.headers.get("x-publication-revision")], [200, "1"]);
    says(name, await page.text(), "10.07");
    const early = await sites.ask(name, path);
    same(`a clock that is behind in ${name} keeps the secret`, early.status, 404);
    same(`a clock that is behind in ${name} tells nothing`, (await early.text()).includes("10.07"), false);
  }
}

/** Takes the page back and shows it again for a while, and holds every reply against that. */
async function fresh(sites, ms) {
  const book = { revision: 1, done: false, replies: 0, stale: [] };
  const readers = CENTRES.map(ahead).flatMap((name) => [path, "/", "/answers", path].map((path) => read(sites, book, name, path)));
  let changes = 0;
  for (const begun = Date.now(); changes < 20 || Date.now() - begun < ms; changes += 2) {
    for (const action of ["withdraw", "reinstate"]) {
      const { revision } = await sites.admin(ahead(CENTRES[changes % 4 < 2 ? 0 : 1]), "POST", `/items/${SECRET}/${action}`);
      book.revision = revision;
    }
  }
  book.done = true;
  await Promise.all(readers);
  same("no reply is older than what was committed before its request", book.stale, []);
  same("readers were at it", book.replies > 20, true);
  console.table({ changes, replies: book.replies, stale: book.stale.length });
}

async function read(sites, book, name, path) {
  while (!book.done) {
    const committed = book.revision;
    const page = await sites.ask(name, path);
    const text = await page.text();
    const revision = Number(page.headers.get("x-publication-revision"));
    book.replies += 1;
    // Odd revisions show the page, even ones do not.
    const shown = path === "/" || path === "/answers" ? text.includes("10.07") : page.status === 200;
    if (revision < committed || shown !== (revision % 2 === 1)) book.stale.push({ name, path, committed, revision, shown });
  }
}
