// Takes the names of functions out of a built Worker, and tells its size. They are a tenth
// of what is uploaded, and of use only to whoever reads the trace of a panic; the same
// commit built again has them.
//
// Before that, what it asks of its script gets short names, and functions are put in the order in
// which they pack best; see `names.mjs` and `order.mjs`.
//
//   node shrink.mjs BUILD_FOLDER [MOST_KILOBYTES]

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { WASM } from "./built.mjs";
import { withShortNames } from "./names.mjs";
import { namedByPlace } from "./order.mjs";
import { weigh } from "./weigh.mjs";

const [build, most] = process.argv.slice(2);
const wasm = path.join(build, WASM);
const optimizer = process.env.WASM_OPT_BIN ?? fileURLToPath(new URL("node_modules/.bin/wasm-opt", import.meta.url));
// What the compiler may have used: the optimizer reads nothing that it was not told of.
const features = [
  "mutable-globals", "sign-ext", "nontrapping-float-to-int", "bulk-memory", "multivalue", "reference-types",
  "exception-handling",
];
const script = path.join(build, "index.js");
const short = withShortNames(readFileSync(wasm), readFileSync(script, "utf8"));
writeFileSync(script, short.script);
writeFileSync(wasm, namedByPlace(short.wasm));
const passes = ["--reorder-functions-by-name", "--strip-debug", "--strip-producers", "--strip-target-features"];
execFileSync(optimizer, [...passes, ...features.map((name) => `--enable-${name}`), wasm, "-o", wasm]);

const { bytes, packed } = weigh(wasm);
const kilobytes = (count) => `${Math.round(count / 1000)} kB`;
console.log(`${wasm}: ${kilobytes(bytes)}, gzipped ${kilobytes(packed)}`);
if (most !== undefined && packed > Number(most) * 1000) {
  console.log(`that is more than ${most} kB; find out what made it grow, or raise the limit with a reason`);
  process.exit(1);
}
