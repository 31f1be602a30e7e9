// What a file of a Worker weighs, as it is and as it is uploaded.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** The bytes of a file, and of what is left of them compressed. */
export function weigh(file) {
  const content = readFileSync(file);
  return { bytes: content.length, packed: gzipSync(content, { level: 9 }).length };
}
