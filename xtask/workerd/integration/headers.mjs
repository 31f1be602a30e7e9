// The table of all headers, in workerd. The router is held against the same table in
// crates/adapter-http/tests/it/header_table.rs; here the platform is in between, with a cache
// that looks into responses, and whatever it adds to an answer or takes from it.

import { readFileSync } from "node:fs";
import { same } from "../checks.mjs";
import { PUBLISH, TOKEN, withSites } from "../sites.mjs";

const TABLE = new URL("../../../crates/adapter-http/tests/header_table.json", import.meta.url);
const ORIGIN = "https://prices.example";
const SITE = "site";
/** How much sooner an instant may be, since the clock goes on during the test, in seconds. */
const MINUTES = 300;

export async function headers({ build, host }) {
  const table = JSON.parse(readFileSync(TABLE, "utf8"));
  await withSites({ build, workers: { [SITE]: {} }, now: Date.parse(table.now) }, async (sites) => {
    await fill(sites, table, host);
    const found = await places(sites);
    const filled = (path) => Object.entries(found).reduce((path, [name, place]) => path.replace(name, place), path);
    for (const [request, ...cells] of table.cases) await play(sites, table, request, filled, cells);
    for (const [spelling, path] of table.spellings) {
      const [one, other] = [await look(sites, "GET", filled(spelling)), await look(sites, "GET", filled(path))];
      same(`${spelling} is answered like ${path}`, comparable(one), comparable(other));
    }
  });
}

/** The bank of the table, in the states of the table. */
async function fill(sites, table, host) {
  const at = (name) => (name === table.photo_that_fails ? "/status/503" : `/photo/${name}`);
  const puzzles = table.puzzles.map(({ photo, ...row }) => (photo ? { ...row, image_url: host.url + at(photo) } : row));
  await sites.admin(SITE, "POST", "/puzzles", { puzzles });
  await sites.admin(SITE, "POST", `/items/${table.withdrawn_before_publication}/withdraw`);
  await sites.fire(PUBLISH, [SITE]);
  await sites.admin(SITE, "POST", `/items/${table.withdrawn}/withdraw`);
}

/** The paths in braces. */
async function places(sites) {
  const html = async (path) => (await sites.ask(SITE, path)).text();
  const between = (text, from) => text.split(from)[1].split('"')[0].replaceAll("&#38;", "&");
  const link = async (id) => (await sites.admin(SITE, "POST", `/items/${id}/preview`)).url.replace(ORIGIN, "");
  const photo = '<img class="photo" src="';
  const home = await html("/");
  return {
    "{photo}": between(await html("/answers/1118"), photo),
    "{photo of the day}": between(home, photo),
    "{photo of a preview}": between(await html(await link(1118)), photo),
    "{style}": between(home, '<link rel="stylesheet" href="'),
    "{icon}": between(home, '<link rel="icon" href="'),
    "{preview}": await link(1120),
    "{preview of a withdrawn page}": await link(1116),
  };
}

async function play(sites, table, request, filled, cells) {
  const [, method, star, written, json] = request.match(/^([A-Z]+)(\*?) (.+?)(?: (\{.*))?$/);
  const path = filled(written);
  const told = await look(sites, method, path, star, json);
  const got = table.columns.map((column, i) => cell(column, told, cells[i]));
  const expected = table.columns.map((column, i) => spelledOut(table, column, cells[i]));
  same(request, got, expected);
  const names = Object.keys(told.headers).filter((name) => !table.headers.includes(name));
  same(`${request} tells nothing else`, names, []);
  if (method !== "GET") return;
  // By now from the cache, if it is kept at all.
  const again = await look(sites, "GET", path, star);
  same(`${request} says the same again`, comparable(again).headers, comparable(told).headers);
  const head = await look(sites, "HEAD", path, star);
  same(`HEAD ${written}`, { ...comparable(head), body: "" }, { ...comparable(told), body: "" });
  same(`HEAD ${written} has no body`, head.body, "");
}

async function look(sites, method, path, star, json) {
  const headers = { ...(star && { authorization: `Bearer ${TOKEN}` }), ...(json && { "content-type": "application/json" }) };
  const init = { method, headers, ...(json && { body: json }) };
  const response = await sites.ask(SITE, path, init);
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

/** What two answers to the same question have in common, a moment apart. */
function comparable({ status, headers, body }) {
  const { "content-length": length, "retry-after": retry, ...rest } = headers;
  return { status, body, headers: { ...rest, retries: retry !== undefined } };
}

/** What an answer says in a column: the instant of the table, if it is a little sooner. */
function cell(column, { status, headers }, expected) {
  if (column === "status") return String(status);
  const value = headers[column] ?? "-";
  if (column === "etag") return value === "-" ? "-" : "tag";
  const sooner = Number(expected) - Number(value);
  return column === "retry-after" && sooner > 0 && sooner < MINUTES && Number(expected) > MINUTES ? expected : value;
}

function spelledOut(table, column, cell) {
  switch (column) {
    case "content-type":
      return cell === "photo" ? "image/png" : table.types[cell];
    case "cache-control":
      return table.kept[cell];
    case "referrer-policy":
      return { "same-site": "strict-origin-when-cross-origin", nobody: "no-referrer" }[cell];
    default:
      return cell;
  }
}
