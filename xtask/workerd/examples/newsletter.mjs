// The newsletter: two issues are due, and each goes to each subscriber once.
//
// The mail service keeps one mail for each idempotency key, as such services do, and takes
// offence at a key that comes back with another mail. What arrived is judged by what it kept. In
// one fault of its own, it takes the mail and its answer gets lost.

import { Response } from "miniflare";
import { same } from "../checks.mjs";
import { checkEnd } from "./faults.mjs";
import { onStage } from "./stage.mjs";

/** Two cuts of an issue, the second of them short. */
const SUBSCRIBERS = 150;
const ADDRESSES = Array.from({ length: SUBSCRIBERS }, (_, i) => `reader-${i + 1}@mail.example`);
const ISSUES = ["The first", "The second"];

let kept = new Map();
let offences = [];
let calls = 0;
/** Whether the answer to a call gets lost. */
let isLost = () => false;

/** The mail service. */
async function mailService(request) {
  const key = request.headers.get("idempotency-key");
  const mail = await request.text();
  if (key === null) offences.push("a mail came without a key");
  if (request.headers.get("authorization") !== "Bearer sesame") offences.push(`${key} came without the token`);
  if (kept.has(key) && kept.get(key) !== mail) offences.push(`the key ${key} came with two mails`);
  kept.set(key, mail);
  calls += 1;
  return isLost(calls) ? new Response("overloaded", { status: 503 }) : new Response("taken");
}

/** Which addresses got which issue. */
const mails = () => [...kept.values()].map((mail) => JSON.parse(mail)).flatMap(({ subject, to }) => to.map((address) => `${subject}: ${address}`));

/** Mails that are taken, and nobody learns of it. */
async function lostMails() {
  return onStage(example, {}, async (stage) => {
    await stage.reset();
    await stage.fire("one");
    const [end, mails] = [await example.done(stage), calls];
    for (let lost = 1; lost <= mails; lost += 1) {
      await stage.reset();
      isLost = (call) => call === lost;
      await stage.fire("one");
      isLost = () => false;
      await checkEnd(`mail ${lost} of ${mails} is taken without an answer`, stage, example, end);
      same(`mail ${lost} of ${mails} is handed over twice`, calls, mails + 1);
    }
    return `${mails} mails`;
  });
}

export const example = {
  build: "examples/newsletter/build",
  migrations: "examples/newsletter/migrations",
  vars: { MAIL_URL: "https://mail.example/send", MAIL_TOKEN: "sesame" },
  outside: mailService,

  forget() {
    [kept, offences, calls] = [new Map(), [], 0];
  },

  faults: { lostMails },

  async fill(stage) {
    await stage.sql(
      ["INSERT INTO subscribers (address) SELECT value FROM json_each(?)", JSON.stringify(ADDRESSES)],
      ["INSERT INTO issues (subject, body, due_at) SELECT value, 'News.', 1 FROM json_each(?)", JSON.stringify(ISSUES)],
      ["INSERT INTO issues (subject, body, due_at) VALUES ('Not yet', 'News.', 8000000000000)"],
    );
  },

  async later(stage) {
    await stage.sql(["UPDATE deliveries SET next_attempt_at = min(next_attempt_at, 1)"]);
  },

  async done(stage) {
    const { issues, issue_receipts, deliveries } = await stage.rows();
    return {
      mails: mails().sort(),
      versions: issues.map(({ version }) => version),
      receipts: issue_receipts.length,
      delivered: deliveries.filter(({ delivered_at }) => delivered_at !== null).length,
    };
  },

  async wrong(stage) {
    const expected = ISSUES.flatMap((issue) => ADDRESSES.map((address) => `${issue}: ${address}`)).sort();
    const got = mails().sort();
    const twice = got.filter((mail, i) => mail === got[i - 1]);
    const { deliveries } = await stage.rows();
    return [
      ...offences,
      ...twice.map((mail) => `twice: ${mail}`),
      ...expected.filter((mail) => !got.includes(mail)).map((mail) => `never: ${mail}`),
      ...got.filter((mail) => !expected.includes(mail)).map((mail) => `to nobody: ${mail}`),
      ...deliveries.filter(({ delivered_at }) => delivered_at === null).map(({ idempotency_key }) => `not delivered: ${idempotency_key}`),
    ];
  },
};
