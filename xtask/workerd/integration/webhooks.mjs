// A receiver of events fails, hangs, is moved, and loses its answers; a Worker dies, as far as
// the receiver can tell, between sending an event and writing that down.
//
// Every event has to arrive all the same, and whatever arrives twice under the same key and
// with the same body. Nothing may arrive that did not happen. A Worker has no clock of its own
// to wait by: each attempt is one of a Worker whose clock is ahead of the one before.

import { readFileSync } from "node:fs";
import { same } from "../checks.mjs";
import { puzzle } from "../puzzles.mjs";
import { COMPENSATE, PUBLISH, withSites } from "../sites.mjs";
import { PASS, Wire, nameOf } from "../wire.mjs";
import { isSigned, webhookReceiver } from "../webhook_receiver.mjs";

const SECRET = "a-secret-of-the-receiver-of-events";
const [FIRST, SECOND, THIRD, FOURTH] = [1101, 1102, 1103, 1104];
const README = new URL("../../../README.md", import.meta.url);
/** Longer than the longest wait between two attempts. */
const LATER = 7 * 3_600_000;

/** Loses whatever would record the end of a delivery. */
const killedAfterSending = (call) =>
  call.statements?.some((sql) => nameOf(sql) === "outbox/record") ? "lost on the way" : "pass";

export async function webhooks({ build, full }) {
  const receiver = await webhookReceiver(SECRET);
  const settings = {
    FENCEPOST_WEBHOOK_URL: receiver.url,
    FENCEPOST_WEBHOOK_SECRET: SECRET,
    FENCEPOST_ALLOW_PRIVATE_WEBHOOK: "true",
    // What is told of alerts is played in toldOfAlerts.
    FENCEPOST_WEBHOOK_EVENTS: "published,updated,withdrawn,reinstated",
    // As on the free plan.
    FENCEPOST_QUERY_BUDGET: "50",
  };
  const names = Array.from({ length: 9 }, (_, i) => `site-${i}`);
  const workers = Object.fromEntries(names.map((name, i) => [name, { ahead: i * LATER, ...settings }]));
  workers.unsure = { ...settings, FENCEPOST_WEBHOOK_SECRET: "too-short" };
  workers.cautious = { ...settings, FENCEPOST_ALLOW_PRIVATE_WEBHOOK: "false", ahead: 5 * LATER };
  const wire = new Wire();
  wire.heed(PASS);
  try {
    await withSites({ build, workers, wire }, (sites) => play(sites, wire, receiver, names, full));
  } finally {
    receiver.stop();
  }
}

async function play(sites, wire, receiver, names, full) {
  const table = [];
  const states = async () => {
    const { outbox } = await sites.rows("outbox");
    return outbox.map(({ event_id, state }) => `${event_id} ${state}`);
  };
  let shown = 0;
  const look = async (what) => {
    table.push({ what: `the receiver ${what}`, arrived: receiver.keys().slice(shown).join(" "), states: (await states()).join(", ") });
    shown = receiver.got.length;
  };
  const spent = [];
  const fire = async (what, name, ...manners) => {
    receiver.behave(...manners);
    wire.calls = [];
    await sites.fire(PUBLISH, [name]);
    const calls = wire.calls.map(({ statements }) => statements?.length ?? 1).reduce((a, b) => a + b, 0);
    spent.push(calls);
    await look(what);
  };
  const pages = [FIRST, SECOND, THIRD].map((id, i) => puzzle(id, 4 - i));

  await sites.admin(names[0], "POST", "/puzzles", { puzzles: pages.slice(0, 1) });
  await sites.fire(COMPENSATE, [names[0]]);
  same("nothing of the past is told", [receiver.keys(), await states()], [[], []]);

  await sites.admin(names[0], "POST", "/puzzles", { puzzles: pages.slice(1) });
  await fire("answers 500", names[0], 500);
  await fire("moves", names[1], "elsewhere");
  await fire("loses its answer", names[2], "lose the answer");
  if (full) await fire("hangs", names[3], "hang");
  wire.heed(killedAfterSending);
  await fire("answers a Worker that dies", names[4]);
  wire.heed(PASS);
  await fire("does well", names[5]);
  await fire("does well", names[6]);
  same("every event is delivered", (await states()).filter((line) => !line.endsWith(" delivered")), []);
  same("no run spends more than it has", spent.filter((calls) => calls > 50), []);

  await sites.admin(names[6], "POST", `/items/${SECOND}/withdraw`);
  const withdrawn = `withdraw-${SECOND}-v2`;
  await receiver.has(withdrawn);
  same("what an operator does is told at once", receiver.keys().at(-1), withdrawn);
  same("and no more than that it is withdrawn", "url" in receiver.got.at(-1).told, false);

  receiver.behave(410);
  await sites.admin(names[6], "POST", `/items/${SECOND}/reinstate`);
  const dead = `reinstate-${SECOND}-v3`;
  await receiver.has(dead);
  const listed = async (state) => (await sites.admin(names[6], "GET", `/outbox?state=${state}`)).events.map(({ event_id }) => event_id);
  for (let i = 0; (await listed("dead")).length === 0 && i < 100; i += 1);
  same("a receiver that wants no more is left alone", await listed("dead"), [dead]);
  const count = receiver.got.length;
  await fire("has said that it wants no more", names[7]);
  same("whatever time it is", receiver.got.length, count);
  same("the status tells", (await sites.admin(names[7], "GET", "/status")).outbox, { pending: 0, dead: 1 });
  await sites.admin(names[7], "POST", `/outbox/${dead}/retry`);
  await receiver.has(dead, 2);
  same("an operator has it tried again", receiver.keys().at(-1), dead);

  await sites.admin(names[7], "POST", "/puzzles", { puzzles: [puzzle(FOURTH, 1)] });
  await sites.fire(PUBLISH, [names[7], names[8]]);
  await sites.fire(PUBLISH, [names[8]]);
  await look("is told by two Workers at once");
  const fourth = receiver.keys().filter((key) => key === `publish-${FOURTH}-v1`);
  same("what two Workers have at once, one of them tells", fourth.length, 1);

  const { commit_receipts } = await sites.rows("commit_receipts");
  const happened = commit_receipts.map((it) => `${it.kind}-${it.puzzle_id}-v${it.content_version}`);
  const told = new Set(receiver.keys());
  same("nothing is told that did not happen", [...told].filter((key) => !happened.includes(key)), []);
  const since = happened.filter((key) => key !== `publish-${FIRST}-v1`);
  same("everything is told that did", since.filter((key) => !told.has(key)), []);
  const bodies = new Map(receiver.got.map(({ key, body }) => [key, body]));
  same("under one key there is one body", receiver.got.filter(({ key, body }) => bodies.get(key) !== body), []);
  same("everything was sent as it was to be", new Set(receiver.got.map(({ method, url }) => `${method} ${url}`)),
    new Set(["POST /events?key=of-the-receiver"]));
  same("the README looks for that in the same way", readFileSync(README, "utf8").includes(isSigned.toString()), true);
  same("and signed", receiver.got.filter(({ signed }) => !signed), []);
  same("and named", receiver.got.filter(({ key, told }) => key !== told.id), []);
  same("some were sent more than once", receiver.got.length > told.size, true);

  await sites.admin(names[0], "POST", `/items/${THIRD}/withdraw`);
  await receiver.has(`withdraw-${THIRD}-v2`);
  same("the site verifies", await sites.admin(names[0], "GET", "/verify"), { ok: true, violations: [] });
  same("a Worker whose receiver cannot be told apart from others is not set up", (await sites.ask("unsure", "/")).status, 500);
  const last = receiver.got.length;
  await sites.admin("cautious", "POST", `/items/${THIRD}/reinstate`);
  const failed = async () => (await sites.admin("cautious", "GET", "/outbox?state=pending")).events.map(({ last_error }) => last_error);
  for (let i = 0; (await failed())[0] == null && i < 200; i += 1);
  same("a private receiver is not visited without permission", [receiver.got.length, await failed()],
    [last, ["the receiver was not connected to: 127.0.0.1 is not a public name"]]);
  console.table(table);
}
