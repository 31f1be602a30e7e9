// Counting checks, and telling the failed ones.

import { isDeepStrictEqual } from "node:util";

const counts = { passed: 0, failed: 0 };

/** Checks that two values are the same. */
export function same(what, actual, expected) {
  if (isDeepStrictEqual(actual, expected)) {
    counts.passed += 1;
    return;
  }
  counts.failed += 1;
  console.log(`--- ${what}\n    expected ${JSON.stringify(expected)}\n    but got  ${JSON.stringify(actual)}`);
}

/** Checks that a text says something. */
export function says(what, text, part) {
  same(`${what}: says ${JSON.stringify(part)}`, text.includes(part) ? part : text, part);
}

/** Tells the counts. The process ends accordingly, once miniflare has cleared away what it kept. */
export function finish() {
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

export const failed = () => counts.failed;
