// A judge that has never found anything may be asleep. So it is shown answers that no site
// may give, one at a time, and has to complain of each.

import { none, same } from "../checks.mjs";
import { judge } from "./judge.mjs";
import { request } from "./requests.mjs";
import { bytes } from "./wire.mjs";

const JSON_TYPE = [["content-type", "application/json"]];
const FORM_TYPE = [["content-type", "application/x-www-form-urlencoded"]];

const get = (target, headers = []) => ({ method: "GET", target, headers });
const post = (target, headers, body) => ({ method: "POST", target, headers, body });
const answer = (status, body = "", type = "text/html") => {
  const headers = [["content-type", type], ["content-security-policy", "default-src 'none'"]];
  return { status, headers, body, header: (name) => headers.find(([known]) => known === name)?.[1] };
};

/** Shows the judge what is wrong, and what is not; and the dice, which have to fall alike. */
export function foundOut(known) {
  const guess = (body) => post("/api/puzzles/1119/guess", JSON_TYPE, body);
  const report = (game) => post("/api/results", JSON_TYPE, JSON.stringify({ game }));
  const [own] = known.goingOn;
  const changed = `${own.slice(0, -1)}${own.endsWith("0") ? 1 : 0}`;
  const problem = (status, rest) => answer(status, JSON.stringify({ type: "urn:x", title: "x", detail: "x", status, ...rest }), "application/problem+json");
  const wrongs = [
    [get("/"), answer(500)],
    [get("/"), answer(302)],
    [get("/"), answer(304)],
    [get("/"), undefined],
    [get("/"), answer(200, `<p>${known.prices[0]}</p>`)],
    [get("/answers/1119"), answer(200)],
    [get("/api/puzzles/1119/stats"), answer(200)],
    [get("/preview/1120"), answer(200)],
    [get(`${known.ownLinks[0]}&expires=1`), answer(200)],
    [post("/answers", [], ""), answer(200)],
    [get("/admin/api/items"), answer(200)],
    [get("/admin/api/items"), answer(401)],
    [guess('{"guess_cents":1.5}'), answer(200)],
    [guess('{"guess_cents":1,"price":2}'), answer(200)],
    [guess(JSON.stringify({ guess_cents: 1, game: changed })), answer(200)],
    [guess("{}"), answer(400)],
    [guess("{}"), problem(400, { status: 200 })],
    [guess("{}"), problem(400, { detail: undefined })],
    [report(own), answer(200)],
    [report(changed), answer(200)],
    [post("/play/1118", FORM_TYPE, "guess=1"), answer(200)],
    [post("/play/1119", FORM_TYPE, `guess=1&game=${changed}`), answer(200)],
    [post("/play/1119", JSON_TYPE, "guess=1"), answer(200)],
  ];
  const rights = [
    [get("/"), answer(200)],
    [get("/", [["if-none-match", "*"]]), answer(304)],
    [get(known.ownLinks[0]), answer(200, known.prices[0])],
    [guess(JSON.stringify({ guess_cents: 1, game: own })), answer(200)],
    [guess("{}"), problem(400)],
    [report(known.recorded), answer(200)],
    [post("/play/1119", FORM_TYPE, `guess=1&game=${own}`), answer(200)],
  ];
  const words = ([asked, got]) => `${asked.method} ${asked.target} ${asked.body ?? ""}: ${got?.status}`;
  none("every wrong is found out", wrongs.filter(([asked, got]) => judge(asked, got, known) === undefined).map(words));
  none("nothing that is right is complained of", rights.filter(([asked, got]) => judge(asked, got, known) !== undefined).map(words));

  const sent = (seed, nth) => bytes(request(seed, "guess", nth, known)).toString("latin1");
  const hundred = (seed) => Array.from({ length: 100 }, (_, nth) => sent(seed, nth));
  same("the same dice fall alike", hundred("1"), hundred("1"));
  same("other dice fall otherwise", [sent("1", 0) === sent("2", 0), sent("1", 0) === sent("1", 1)], [false, false]);
}
