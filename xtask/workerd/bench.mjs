// What the Worker costs, measured in workerd.
//
//   node bench.mjs BUILD_FOLDER (short|full) OUT_FILE
//
// Each part stands in a file of its own in the folder `bench`, which tells what it measures and
// how. All figures are told in a table, and written to a file as one object each: case, subject,
// unit, and the median and the range of the rounds. A figure that was measured on something
// else than its case says is worth nothing, so what was asked is checked as it is measured,
// and a failed check is a failure of the whole.
//
// In the short form there are a few rounds, and of the requests only the usual ones are timed. In
// the full form, what is counted is also counted on ledgers of several sizes, to see what grows.

import { writeFileSync } from "node:fs";
import { COUNTED, countRequests } from "./bench/counts.mjs";
import { measureProcessor, measurePublishing } from "./bench/cpu.mjs";
import { Figures } from "./bench/figures.mjs";
import { countPagesOfARun, countPublishing } from "./bench/publishing.mjs";
import { measureInstance, measureStart, weighBuild } from "./bench/start_up.mjs";
import { broke, finish } from "./checks.mjs";
import { photoHost } from "./photo_host.mjs";

/** Answers in the ledger: as many as the longest list shows. */
const SIZE = 50;
const FORMS = {
  short: { rounds: 4, requests: 70, onlyOften: true, sizes: [] },
  full: { rounds: 5, requests: 70, onlyOften: false, sizes: [10, 1_000, 10_000] },
};

const [build, form, out] = process.argv.slice(2);
const { sizes, ...measured } = FORMS[form];
const figures = new Figures();
const host = await photoHost();
const given = { build, host, size: SIZE, figures, ...measured };

const parts = {
  "what it weighs, and how it starts": async () => {
    weighBuild(given);
    await measureInstance(given);
    await measureStart(given);
  },
  "what requests ask for": () => countRequests(given),
  "what publishing asks for": async () => {
    await countPublishing(given);
    await countPagesOfARun(given);
  },
  "what requests take of a processor": () => measureProcessor(given),
  "what publishing takes of a processor": () => measurePublishing(given),
};
for (const size of sizes) {
  const items = `at ${size.toLocaleString("en")} items`;
  parts[`what is asked for ${items}`] = async () => {
    const large = { ...given, size, rounds: 1, suffix: ` ${items}` };
    await countRequests(large);
    await countPublishing(large);
  };
}

const seconds = {};
for (const [name, play] of Object.entries(parts)) {
  const begun = Date.now();
  await play().catch((error) => broke(name, error));
  seconds[name] = { seconds: (Date.now() - begun) / 1_000 };
}
host.stop();
for (const units of [["kB", "kB gzipped"], ["ms", "ms cpu"], COUNTED, ["pages"]]) console.table(figures.table(units));
console.table(seconds);
writeFileSync(out, JSON.stringify({ part: "worker", rows: figures.rows() }, null, 1));
finish();
