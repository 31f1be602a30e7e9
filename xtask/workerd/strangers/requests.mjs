// Random requests, each the same whenever it is asked for: a route, which most of them go to
// in earnest, and everything around it that a stranger may choose.

import { body, mutated } from "./bodies.mjs";
import { dice } from "./dice.mjs";

const METHODS = ["HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "SEARCH"];
const ADMIN = [
  "", "/", "/puzzles", "/jobs/publish", "/jobs/compensate", "/jobs/x", "/items", "/items?before=2026-11-28", "/items/1119", "/items/1120",
  "/items/1119/withdraw", "/items/1119/reinstate", "/items/1119/republish", "/items/1119/reschedule", "/items/1119/preview", "/items/1119/retry", "/pause", "/resume",
  "/actions", "/actions?before=1", "/runs", "/runs?before=1", "/quota", "/policy", "/export/bank", "/export/ledger?format=csv",
  "/export/receipts?after=1", "/export/x",
  "/verify", "/status", "/doctor", "/doctor?photos=true", "/outbox", "/outbox?state=dead", "/outbox/publish-1118-v1/retry", "/nope", "//items", "/items/%31119",
];
const NOWHERE = [
  "/nope", "/play", "/play/", "/api", "/api/", "/api/puzzles/", "/api/puzzles/1119", "/api/results/", "/images", "/assets/", "/preview", "/admin",
  "/admin/apix", "/.env", "/wp-login.php", "/index.html", "/cgi-bin/x", "/feed.xml/", "//", "/%2e%2e/%2e%2e/etc/passwd", "/favicon.ico",
];
const IDS = [
  "0", "-1", "+1119", "01119", "1119.0", "1e3", "%31119", "1119%20", "%00", "%ff%fe", "%", "%zz", "1119%00", "9999999999999999", "9007199254740992",
  "9223372036854775808", "9".repeat(300), "..", ".", "%2e%2e", "x", "\u00ff", "\u00d9\u00a3", "1119;x", "1119,1120", "a b", "'", "1119/..", "%2F", "NaN",
];
const QUERIES = [
  "", "before=2026-11-28", "before=2026-02-30", "before=", "before=x&before=y", "before=%ff", "before=9999-12-31", "before=0000-01-01", "id=1120", "%",
  "a".repeat(3_000), "&&&=", "expires=1&signature=0", "guess=1&game=x", "price", "\u00ff", "x=1#y", "before=2026-11-28T00:00:00Z", "before=+2026-11-28",
];
const HEADERS = [
  ["if-none-match", () => ["*", '"x"', 'W/"x"', '"', '"a","b"', '"'.repeat(500), "\u00ff", "", "x, *"]],
  ["if-modified-since", () => ["Fri, 01 Jan 2100 00:00:00 GMT", "yesterday", "Fri, 99 Jan 2026 00:00:00 GMT"]],
  ["range", () => ["bytes=0-15", "bytes=-1", "bytes=9-1", "bytes=0-,1-", "x", "bytes=99999999999999999999-"]],
  ["accept", () => ["application/json", "*/*;q=x", "text/html;q=0", "\u00ff"]],
  ["accept-encoding", (known) => ["gzip, br", "gzip", ...(known.bare ? ["identity;q=0", "*;q=0", "gzip;q=9", "x".repeat(300)] : [])]],
  ["accept-language", () => ["de", "x".repeat(200)]],
  ["cookie", () => ["a=b", "x".repeat(4_000), "\u00ff=\u00fe"]],
  ["authorization", (known) => [`Bearer ${known.token.slice(1)}`, `Bearer ${known.token} x`, `Basic ${known.token}`, known.token, "Bearer", "Bearer ", "\u00ff"]],
  ["x-forwarded-for", () => ["203.0.113.7", "x", "::1, 1.2.3.4", ""]],
  ["x-forwarded-host", () => ["evil.example"]],
  ["x-http-method-override", () => ["DELETE"]],
  ["x-original-url", () => ["/admin/api/items"]],
  ["origin", () => ["https://evil.example", "null"]],
  ["referer", () => ["https://evil.example/\u00ff"]],
  ["user-agent", () => ["", "x".repeat(2_000)]],
  ["content-encoding", () => ["gzip", "br", "x"]],
  ["expect", () => ["100-continue"]],
  ["cache-control", () => ["no-cache", "only-if-cached", "max-age=x"]],
  ["x".repeat(200), () => ["y".repeat(2_000)]],
];
/**
 * What never gets as far as a Worker. Its edge refuses it or makes something else of it, and
 * the one of the tests, which is workerd's own server, does so with errors of its own.
 */
const FOR_SERVERS_ONLY = {
  methods: ["TRACE", "BREW", "get", "CONNECT", "M-SEARCH", "X".repeat(100)],
  hosts: ["", "evil.example", "evil.example:99999", "a b", "\u00ff", "[::1", "127.0.0.1, x"],
  framings: ["bad chunk", "overhang", "two lengths", "no length"],
  targets: ["*", "http://evil.example/", "http://evil.example/answers", "https://[::1/answers", "//evil.example/answers"],
};

/** Every route, with the method and the path that it is there for. */
export const ROUTES = {
  home: ["GET", () => "/"],
  play: ["POST", (dice, known) => `/play/${id(dice, known)}`],
  answers: ["GET", () => "/answers"],
  answer: ["GET", (dice, known) => `/answers/${id(dice, known)}`],
  image: ["GET", (dice, known) => `/images/${key(dice, known)}`],
  robots: ["GET", () => "/robots.txt"],
  preview: ["GET", (dice, known) => link(dice, dice.one(known.previews))],
  previewPhoto: ["GET", (dice, known) => link(dice, dice.one(known.previewPhotos))],
  asset: ["GET", (dice, known) => dice.one([...known.assets, () => `/assets/${mutated(dice, dice.one(known.assets).slice(8))}`])],
  healthz: ["GET", () => "/healthz"],
  readyz: ["GET", () => "/readyz"],
  feed: ["GET", () => "/feed.xml"],
  sitemap: ["GET", () => "/sitemap.xml"],
  guess: ["POST", (dice, known) => `/api/puzzles/${id(dice, known)}/guess`],
  stats: ["GET", (dice, known) => `/api/puzzles/${id(dice, known)}/stats`],
  results: ["POST", () => "/api/results"],
  admin: ["POST", (dice) => `/admin/api${dice.one(ADMIN)}`],
  metrics: ["GET", () => "/metrics"],
  nowhere: ["GET", (dice) => dice.one(NOWHERE)],
};

const id = (dice, known) => (dice.once(3) ? dice.one(IDS) : dice.one(known.ids));
const key = (dice, known) => {
  const one = dice.one(known.keys);
  return dice.one([one, one, () => mutated(dice, one), () => one.toUpperCase(), () => dice.one(IDS), `${one}.webp`]);
};
const link = (dice, one) => dice.one([one, one, () => mutated(dice, one), () => one.split("?")[0], () => `${one}&expires=1`, () => one.replace(/\d+/, dice.one(IDS))]);

/** The request of this number for a route. Of a site that is `known.bare`, nothing stands in front. */
export function request(seed, route, nth, known) {
  const die = dice(seed, route, nth);
  const [method, path] = ROUTES[route];
  const made = { method: methodOf(die, method, known), target: target(die, path(die, known), known), headers: headers(die, known) };
  const isToHaveBody = made.method === "POST" ? !die.once(20) : die.once(10) && !["GET", "HEAD", "TRACE", "CONNECT"].includes(made.method);
  if (isToHaveBody) {
    const { type, text } = body(die, route, known);
    if (!die.once(30)) made.headers.push(["content-type", type]);
    made.body = text;
    if (die.once(20)) made.framing = die.one(known.bare && die.once(2) ? FOR_SERVERS_ONLY.framings : ["chunked", "chunked", "cut"]);
  }
  return { ...made, target: sendable(made.target), headers: made.headers.map(([name, value]) => [name, value.replace(/[\r\n\0]/g, "")]) };
}

function methodOf(die, usual, { bare }) {
  if (!die.once(8)) return usual;
  if (bare && die.once(4)) return die.one(FOR_SERVERS_ONLY.methods);
  return die.one(usual === "GET" ? METHODS : ["GET", ...METHODS]);
}

function target(die, path, { bare }) {
  if (bare && die.once(100)) return die.one(FOR_SERVERS_ONLY.targets);
  const changed = die.once(10)
    ? die.one([
        () => `${path}/`, () => `/${path}`, () => path.toUpperCase(), () => mutated(die, path), () => `${path}/..`, () => `${path};a=b`, () => `/.${path}`,
        () => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`), () => `${path}%00`, () => `${path}/${"x".repeat(die.below(9_000))}`,
      ])
    : path;
  return die.once(5) ? `${changed}${changed.includes("?") ? "&" : "?"}${die.one(QUERIES)}` : changed;
}

function headers(die, known) {
  const { bare } = known;
  const host = bare && die.once(30) ? die.one(FOR_SERVERS_ONLY.hosts) : known.host;
  const all = bare && die.once(100) ? [] : [["host", host]];
  while (die.once(2) && all.length < 12) {
    const [name, values] = die.one(HEADERS);
    all.push([name, die.one(values(known))]);
    if (die.once(10)) all.push([name, die.one(values(known))]);
  }
  return all;
}

/** A target that ends where it is meant to: blanks and line ends would be another request. */
function sendable(path) {
  const visible = path.replace(/[\0-\x20\x7f]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return visible === "*" || visible.startsWith("http") || visible.startsWith("/") ? visible : `/${visible}`;
}
