// Are pages, feed and sitemap what they claim to be?
//
//   node validity.mjs SERVER
//
// The server's demo, with a name in it that is out for trouble, and a site without any
// content, as programs see them that were made to judge such documents.

import { XMLParser, XMLValidator } from "fast-xml-parser";
import { parseAtomFeed } from "feedsmith";
import { HtmlValidate } from "html-validate";
import { eventually, finish, same, says } from "./checks.mjs";
import { serve } from "./server.mjs";

const [server] = process.argv.slice(2);

const HTML = new HtmlValidate({
  extends: ["html-validate:standard", "html-validate:a11y"],
  // A list whose markers are styled away is none to some browsers, unless it says that it is.
  rules: { "no-redundant-role": "off", "prefer-native-element": ["error", { exclude: ["list"] }] },
});
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
/** Whatever could end a tag, a block or a document early, and what XML forbids. */
const HOSTILE = `</title></script><script>alert("x")</script><!-- ]]> &amp; ' \u{ffff}`;

await visit("the demo", ["--demo"], demo);
await visit("an empty site", ["--no-cron"], empty);
finish();

/** A start, a look around, and an end in order. */
async function visit(what, words, look) {
  const site = await serve(server, words);
  try {
    await look(site.url, site.admin);
  } finally {
    same(`${what} ends in order`, await site.stop(), [0, null]);
  }
}

async function demo(origin, admin) {
  const published = async () => (await admin("GET", "/status")).published;
  await eventually("six answers are out", async () => (await published()) >= 6);
  const row = { id: 1, play_date: "2024-02-01", name: HOSTILE, price_cents: 1899, description: `${HOSTILE} \b [a](https://a.example/?x=1&y=2)\n\n|a|b|\n|-|-|\n|1|2|` };
  await admin("POST", "/puzzles", { puzzles: [row] });
  await admin("POST", "/jobs/publish");
  const { items } = await admin("GET", "/items");
  const withState = (state) => items.filter((item) => item.state === state).map((item) => item.puzzle_id).sort((a, b) => a - b);
  const [hostile, withdrawn, ...others] = withState("published");
  same("the hostile answer is out", hostile, 1);
  await admin("POST", `/items/${withdrawn}/withdraw`);
  const today = items.find((item) => item.play_date === new Date().toISOString().slice(0, 10));

  const feed = await feedOf(origin);
  same("the feed has what is out", feed.entries.map(({ id }) => id), [...others.reverse(), hostile].map((id) => `${origin}/answers/${id}`));
  for (const { content } of feed.entries) valid("the content of an entry", content.value);
  const pages = await sitemapOf(origin);
  same("the sitemap has what may be kept", pages, ["/", "/answers", ...others.map((id) => `/answers/${id}`)].map((path) => origin + path));
  for (const page of pages) {
    const answer = await fetch(page);
    same(`${page} may be kept`, [answer.status, answer.headers.get("x-robots-tag")], [200, null]);
    await answer.text();
  }
  for (const id of [...others, hostile]) await article(origin, id);
  says("the headline of the hostile answer", (await article(origin, hostile)).headline, HOSTILE);
  await page(origin, "/", 200);
  await page(origin, "/answers", 200);
  await page(origin, "/answers?before=2024-02-02", 200);
  await page(origin, `/answers/${today.puzzle_id}`, 404);
  await page(origin, `/answers/${withdrawn}`, 410);
  await page(origin, `/play/${today.puzzle_id}`, 200);
  await page(origin, `/play/${withdrawn}`, 410);
  await page(origin, "/nowhere", 404);
}

async function empty(origin) {
  same("the feed is empty", (await feedOf(origin)).entries ?? [], []);
  same("the sitemap has the front page", await sitemapOf(origin), [`${origin}/`]);
  await page(origin, "/", 200);
  await page(origin, "/answers", 200);
}

async function read(origin, path, status, type) {
  const answer = await fetch(origin + path);
  same(`${path}: status and type`, [answer.status, answer.headers.get("content-type")], [status, `${type}; charset=utf-8`]);
  return answer.text();
}

/** A page that a validator of HTML accepts. */
async function page(origin, path, status) {
  const html = await read(origin, path, status, "text/html");
  valid(path, html);
  return html;
}

function valid(what, html) {
  const { results } = HTML.validateStringSync(html);
  const complaints = results.flatMap(({ messages }) => messages).map(({ ruleId, message, line }) => `${ruleId} in line ${line}: ${message}`);
  same(`${what}: is valid HTML`, complaints, []);
}

/** What an answer page tells of itself. */
async function article(origin, id) {
  const html = await page(origin, `/answers/${id}`, 200);
  const blocks = [...html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
  same(`answer ${id}: has one block of data`, blocks.map(([, kind]) => kind), [' type="application/ld+json"']);
  const data = JSON.parse(blocks[0][2]);
  const { headline, image, datePublished, dateModified, author, publisher } = data;
  same(`answer ${id}: is an article`, [data["@context"], data["@type"], data.mainEntityOfPage], ["https://schema.org", "Article", `${origin}/answers/${id}`]);
  same(`answer ${id}: has a headline`, headline.length > 0 && [...headline].length <= 110, true);
  for (const instant of [datePublished, dateModified]) same(`answer ${id}: ${instant} is an instant`, INSTANT.test(instant), true);
  for (const who of [author, publisher]) same(`answer ${id}: has an author and a publisher`, who, { "@type": "Organization", name: "Fencepost", url: `${origin}/` });
  const photo = html.match(/<meta property="og:image" content="([^"]+)">/)?.[1];
  same(`answer ${id}: has the photo of the page`, image, photo);
  if (image !== undefined) same(`answer ${id}: its photo is there`, (await fetch(image)).status, 200);
  return data;
}

/** The feed, which has all that RFC 4287 wants of one. */
async function feedOf(origin) {
  const text = xml("the feed", await read(origin, "/feed.xml", 200, "application/atom+xml"));
  const feed = parseAtomFeed(text);
  const { id, title, updated, authors, links, entries = [] } = feed;
  same("the feed: who it is", [id, title.value ?? title, authors.map(({ name }) => name)], [`${origin}/feed.xml`, "Fencepost", ["Fencepost"]]);
  same("the feed: names itself", links.filter(({ rel }) => rel === "self").map(({ href }) => href), [id]);
  // As instants: written out, 26.3 seconds would come after 26.333.
  const newest = Math.max(0, ...entries.map((entry) => Date.parse(entry.updated)));
  same("the feed: is as new as its newest entry", Date.parse(updated), newest);
  same("the feed: every entry is another", new Set(entries.map((entry) => entry.id)).size, entries.length);
  for (const entry of entries) {
    same(`${entry.id}: leads to its page`, entry.links.map(({ rel, href }) => [rel, href]), [["alternate", entry.id]]);
    for (const instant of [entry.published, entry.updated]) same(`${entry.id}: ${instant} is an instant`, INSTANT.test(instant), true);
    for (const text of [entry.title, entry.summary, entry.content]) same(`${entry.id}: has all its texts`, (text?.value ?? text ?? "").length > 0, true);
    same(`${entry.id}: its content is HTML`, entry.content.type, "html");
  }
  return feed;
}

/** The addresses in the sitemap, to which robots are told the way. */
async function sitemapOf(origin) {
  const robots = await read(origin, "/robots.txt", 200, "text/plain");
  same("robots are told of the sitemap", robots.match(/^Sitemap: (.*)$/m)?.[1], `${origin}/sitemap.xml`);
  const text = xml("the sitemap", await read(origin, "/sitemap.xml", 200, "application/xml"));
  const { urlset } = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === "url" }).parse(text);
  same("the sitemap: speaks the protocol", urlset["@_xmlns"], "http://www.sitemaps.org/schemas/sitemap/0.9");
  for (const { loc, lastmod } of urlset.url) {
    same(`${loc}: an answer tells when it changed`, loc.includes("/answers/") ? INSTANT.test(lastmod) : lastmod === undefined, true);
  }
  return urlset.url.map(({ loc }) => loc);
}

/** A text that is XML, with no character that XML does not have. */
function xml(what, text) {
  same(`${what}: is well-formed`, XMLValidator.validate(text), true);
  same(`${what}: has no forbidden characters`, text.match(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u), null);
  return text;
}
