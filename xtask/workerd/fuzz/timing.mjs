// How long a closed door takes to say so: as long for a token that is nearly right as for one
// that is not, and as long for what there is as for what there is not.
//
// Requests of every kind take turns, so that whatever else the machine does meets all kinds
// alike. They are cut into blocks, and each block has its own medians. A difference counts as
// one if it is far beyond what differs from block to block, and large enough to be of use to
// anybody: one of the kinds is another's twin, and shows what chance makes of it.

import http from "node:http";
import { none } from "../checks.mjs";
import { NEARLY } from "./doors.mjs";

const BLOCKS = 20;
/** Beyond this many standard errors, a difference is none of chance. */
const SIGMAS = 6;
/** Below this, nobody could see it across a network, however often they look. */
const MICROSECONDS = 25;

/** Times so many requests of each kind. Only `judged` timings can fail: a short look is for people. */
export async function timing(name, url, { open }, count, judged) {
  const item = `/admin/api/items/${open}`;
  const kinds = {
    "wrong last byte": [item, NEARLY.last],
    "its twin": [item, NEARLY.last],
    "wrong first byte": [item, NEARLY.first],
    "no such item": ["/admin/api/items/4711", NEARLY.last],
    "no such address": ["/admin/api/there-is-none", NEARLY.last],
  };
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const blocks = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    const took = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
    for (let i = 0; i < count / BLOCKS; i += 1) {
      for (const kind of turned(Object.keys(kinds), i)) took[kind].push(await microseconds(agent, url, ...kinds[kind]));
    }
    blocks.push(Object.fromEntries(Object.entries(took).map(([kind, all]) => [kind, median(all)])));
  }
  agent.destroy();

  const [against, ...others] = Object.keys(kinds);
  const rows = { [against]: { median: round(median(blocks.map((block) => block[against]))) } };
  for (const kind of others) {
    const differences = blocks.map((block) => block[kind] - block[against]);
    const mean = differences.reduce((sum, one) => sum + one, 0) / BLOCKS;
    const spread = Math.sqrt(differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (BLOCKS - 1));
    rows[kind] = { median: round(median(blocks.map((block) => block[kind]))), difference: round(mean), sigmas: round(mean / (spread / Math.sqrt(BLOCKS))) };
  }
  console.log(`\nthe ${name}, a closed door in microseconds, ${count} requests of each kind:`);
  console.table(rows);
  const told = Object.entries(rows).filter(([, { difference = 0, sigmas = 0 }]) => Math.abs(difference) > MICROSECONDS && Math.abs(sigmas) > SIGMAS);
  if (judged) none(`the ${name}: how long it takes tells nothing`, told.map(([kind, row]) => `${kind}: ${JSON.stringify(row)}`));
}

/** The same, begun at another place. */
const turned = (all, by) => [...all.slice(by % all.length), ...all.slice(0, by % all.length)];

const round = (number) => Math.round(number * 10) / 10;

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function microseconds(agent, url, path, token) {
  return new Promise((resolve, reject) => {
    const begun = process.hrtime.bigint();
    const request = http.request(new URL(path, url), { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume();
      response.on("end", () => resolve(Number(process.hrtime.bigint() - begun) / 1_000));
    });
    request.on("error", reject);
    request.end();
  });
}
