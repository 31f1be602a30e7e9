// The kinds of requests that are measured, and the site that they are sent to.
//
// A kind that is kept in the cache is measured twice. What is kept stands below the address
// that was asked, so a request at an address that nobody asked before is a miss, without a
// word to the database; and one at the same address again is a hit.

import { same } from "../checks.mjs";
import { guess } from "../games.mjs";
import { fill } from "../ledger.mjs";
import { puzzle } from "../puzzles.mjs";
import { PUBLISH, TOKEN } from "../sites.mjs";

export const SITE = "site";

/** Numbers that no ledger has: a page with a photo, one without, and the puzzle of the day. */
const [WITH_PHOTO, PLAIN, TODAY] = [200_001, 200_002, 200_003];

/** A ledger of `size` answers, and on top of it what is asked for, imported and published by the site's own routes. */
export async function stocked(sites, host, size) {
  await fill(sites, size);
  const photo = (id) => `${host.url}/photo/${id}`;
  const puzzles = [puzzle(PLAIN, 2), puzzle(WITH_PHOTO, 1, photo(WITH_PHOTO)), puzzle(TODAY, 0, photo(TODAY))];
  await sites.admin(SITE, "POST", "/puzzles", { puzzles });
  await sites.fire(PUBLISH, [SITE]);
  const { overdue } = await sites.admin(SITE, "GET", "/status");
  same("all is out", overdue, 0);
}

/**
 * What can be asked: each with a path, and with the status that it must be answered with.
 * Those that are `kept` are kept in the cache. What a request needs that must not be counted
 * with it is made by its `init`, which is told how many were sent before.
 */
export async function kindsOfRequests(sites) {
  const text = async (path) => (await sites.ask(SITE, path)).text();
  const answer = await sites.ask(SITE, `/answers/${WITH_PHOTO}`);
  const [image] = (await answer.text()).match(/\/images\/[0-9a-f]{64}\.png/);
  const [style] = (await text("/")).match(/\/assets\/[^"]+\.css/);
  const tag = { "if-none-match": answer.headers.get("etag") };
  const operator = { authorization: `Bearer ${TOKEN}` };
  const signedIn = { cookie: await signIn(sites) };
  const post = (body) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const session = (nth) => ({ session_id: `session-of-the-bench-${nth}` });
  return [
    { of: "answer", kept: true, path: `/answers/${WITH_PHOTO}` },
    { of: "answer without photo", kept: true, path: `/answers/${PLAIN}` },
    { of: "answer 304", kept: true, path: `/answers/${WITH_PHOTO}`, status: 304, init: () => ({ headers: tag }) },
    { of: "answer HEAD", kept: true, path: `/answers/${WITH_PHOTO}`, init: () => ({ method: "HEAD" }) },
    { of: "answer 404", kept: true, path: `/answers/${TODAY}`, status: 404 },
    { of: "unknown number 404", path: "/answers/987654321", status: 404 },
    { of: "unknown address 404", path: "/nowhere", status: 404 },
    { of: "home", kept: true, path: "/" },
    { of: "answers list", kept: true, path: "/answers" },
    { of: "feed", kept: true, path: "/feed.xml" },
    { of: "sitemap", kept: true, path: "/sitemap.xml" },
    { of: "image", kept: true, path: image },
    { of: "stats", kept: true, path: `/api/puzzles/${WITH_PHOTO}/stats` },
    { of: "play page", kept: true, path: `/play/${TODAY}` },
    { of: "guess", path: `/api/puzzles/${TODAY}/guess`, init: (nth) => post({ guess_cents: 5, ...session(nth) }) },
    { of: "result", path: "/api/results", writes: true, init: async (nth) => post({ game: await won(sites, session(nth)) }) },
    { of: "style sheet", path: style },
    { of: "healthz", path: "/healthz" },
    { of: "readyz", path: "/readyz" },
    { of: "metrics", path: "/metrics", init: () => ({ headers: operator }) },
    { of: "status", path: "/admin/api/status", init: () => ({ headers: operator }) },
    { of: "dashboard overview", path: "/admin", init: () => ({ headers: signedIn }) },
  ].map((kind) => ({ status: 200, init: () => ({}), kept: false, writes: false, ...kind }));
}

/** The cookie of an operator at the dashboard. */
async function signIn(sites) {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ token: TOKEN, name: "bench" }).toString();
  const response = await sites.ask(SITE, "/admin/sign-in", { method: "POST", headers, body });
  const [cookie] = response.headers.get("set-cookie").split(";");
  return cookie;
}

/** A game of a session, won at once: a price is the number of its puzzle, see `puzzle`. */
async function won(sites, session) {
  const { told } = await guess(sites, SITE, TODAY, TODAY, session);
  return told.game;
}
