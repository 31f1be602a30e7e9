// What a request asks of others: of the database, of the bucket, of the cache.
//
// The wire sees every call, and D1 tells what each statement cost. These figures are no
// measurements: the same request costs the same each time, and if it does not, that shows as
// a range. A hit counts as one only if the cache found what it was asked for, and the database
// was asked for nothing but time and revision; a miss only if the cache found nothing.

import { same } from "../checks.mjs";
import { withSites } from "../sites.mjs";
import { Wire, total } from "../wire.mjs";
import { SITE, kindsOfRequests, stocked } from "./requests.mjs";

/** What is counted of everything; calls of one kind are counted where there are some. */
export const COUNTED = ["queries", "calls", "rows read", "rows written", "r2 calls", "cache calls", "fetch calls"];

/** Counts `rounds` times on a ledger of `size` answers; every case ends in `suffix`. */
export async function countRequests({ build, host, size, rounds, figures, suffix = "" }) {
  const wire = new Wire();
  await withSites({ build, workers: { [SITE]: {} }, wire, tapped: true }, async (sites) => {
    await stocked(sites, host, size);
    const kinds = await kindsOfRequests(sites);
    for (let round = 0; round < rounds; round += 1) {
      for (const { of, calls } of await callsOf(sites, wire, kinds, round)) report(figures, of + suffix, costs(calls));
    }
  });
}

/** The calls of each kind, and of each way in which the cache may answer it. */
export async function callsOf(sites, wire, kinds, round) {
  const all = [];
  for (const kind of kinds) {
    const origin = `http://${kind.of.replaceAll(/[^a-z0-9]/g, "-").toLowerCase()}-${round}.example`;
    const take = async (of) => {
      const init = await kind.init(round);
      const calls = await wire.callsOf(async () => {
        const response = await sites.askAt(origin, SITE, kind.path, init);
        await response.arrayBuffer();
        same(`${of} is answered`, response.status, kind.status);
        await quiet(wire);
      });
      all.push({ of, kind, calls });
      return calls;
    };
    if (!kind.kept) {
      await take(kind.of);
      continue;
    }
    const miss = await take(`${kind.of} miss`);
    same(`${kind.of} is missed`, found(miss), [false]);
    const hit = await take(`${kind.of} hit`);
    same(`${kind.of} is hit, and nothing but a look is asked for`, [found(hit), shape(hit)], [[true], "DB batch 1, CACHE match"]);
  }
  return all;
}

const found = (calls) => calls.filter(({ method }) => method === "match").map((call) => call.found);
const shape = (calls) => calls.map(({ binding, method, statements }) => [binding, method, statements?.length].join(" ").trim()).join(", ");

/** What is kept is kept behind the answer's back: waits until nothing has been asked for a while. */
async function quiet(wire) {
  for (let [still, seen] = [0, wire.calls.length]; still < 3; still = wire.calls.length === seen ? still + 1 : 0) {
    seen = wire.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Reports a count for each unit. */
export function report(figures, of, counts) {
  for (const [unit, count] of Object.entries(counts)) figures.add(of, "worker", unit, count);
}

/** What calls came to, by unit. */
export function costs(calls) {
  const { calls: batches, statements, read, written } = total(calls);
  const kinds = {};
  const count = (unit) => (kinds[unit] = (kinds[unit] ?? 0) + 1);
  const groups = { BLOBS: "r2", CACHE: "cache" };
  for (const { binding, method } of calls) {
    if (binding in groups) [`${groups[binding]} calls`, `${groups[binding]} ${method} calls`].forEach(count);
    if (binding === "NETWORK") count("fetch calls");
  }
  const counted = { queries: statements, calls: batches, "rows read": read, "rows written": written, ...kinds };
  return { ...Object.fromEntries(COUNTED.map((unit) => [unit, 0])), ...counted };
}
