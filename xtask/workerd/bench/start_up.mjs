// What a Worker weighs, and how long it takes until it answers.
//
// A platform starts a Worker where nobody asked for it before, and a reader waits for that.
// Here a start is one of the whole process, with its database, which takes longer than the
// Worker does; so it is compared with that of a Worker that is a few lines of JavaScript. The
// first answer is a page, of a site that has nothing yet: its code is compiled as it is reached.
// The module is also instantiated by itself, many times, without any of the glue.

import path from "node:path";
import { Log, LogLevel, Miniflare } from "miniflare";
import { WASM, built } from "../built.mjs";
import { same } from "../checks.mjs";
import { start } from "../sites.mjs";
import { weigh } from "../weigh.mjs";
import { spent } from "./processor.mjs";
import { SITE } from "./requests.mjs";

const REPLAY = "replay";
const SUBJECTS = {
  worker: { name: SITE, options: { workers: { [SITE]: {} } } },
  "an empty Worker": { name: REPLAY, options: { workers: {}, helpers: { [REPLAY]: "bench/replay_worker.mjs" } } },
};

/** Weighs the build. */
export function weighBuild({ build, figures }) {
  for (const [of, file] of [["size", WASM], ["size of the glue", "index.js"]]) {
    const { bytes, packed } = weigh(path.join(build, file));
    figures.add(of, "worker", "kB", bytes / 1_000);
    figures.add(of, "worker", "kB gzipped", packed / 1_000);
  }
}

/** Starts each subject `rounds` times, in turns, and once more to begin with. */
export async function measureStart({ build, rounds, figures }) {
  for (let round = 0; round <= rounds; round += 1) {
    for (const [subject, { name, options }] of Object.entries(SUBJECTS)) {
      const add = (of, unit, value) => round > 0 && figures.add(of, subject, unit, value);
      const begun = performance.now();
      const sites = await start({ build, ...options });
      try {
        const [asked, spentBefore] = [performance.now(), spent(sites.pid)];
        const { status } = await sites.ask(name, "/");
        const [answered, spentAfter] = [performance.now(), spent(sites.pid)];
        same(`${subject}: the first request is answered`, status, 200);
        add("first answer", "ms", answered - asked);
        add("first answer", "ms cpu", spentAfter - spentBefore);
        add("start and first answer", "ms", answered - begun);
        add("start and first answer", "ms cpu", spentAfter);
      } finally {
        await sites.stop();
      }
    }
  }
}

/** Instantiates the module by itself. */
export async function measureInstance({ build, rounds, figures }) {
  const worker = { ...built(build, "bench/instance_worker.mjs"), compatibilityDate: "2026-04-01" };
  const miniflare = new Miniflare({ log: new Log(LogLevel.NONE), ...worker });
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const response = await miniflare.dispatchFetch("http://instance/");
      const text = await response.text();
      same("the module is instantiated", [response.status, Number(text) > 0], [200, true]);
      if (round > 0) figures.add("instance of the module", "worker", "ms", Number(text));
    }
  } finally {
    await miniflare.dispose();
  }
}
