// Counting checks, and telling the failed ones.

import { isDeepStrictEqual } from "node:util";

const counts = { passed: 0, failed: 0 };

/** Counts a check, and tells what `complain` says if it failed. */
function count(holds, complain) {
  counts[holds ? "passed" : "failed"] += 1;
  if (!holds) console.log(`--- ${complain()}`);
}

const json = (value) => JSON.stringify(value);

/** Checks that two values are the same. */
export function same(what, actual, expected) {
  const complain = () => `${what}\n    expected ${json(expected)}\n    but got  ${json(actual)}`;
  count(isDeepStrictEqual(actual, expected), complain);
}

/** Checks that two lists of rows per table are the same, and tells the rows that differ. */
export function sameRows(what, actual, expected) {
  const lines = [];
  for (const table of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [is, was] = [actual, expected].map((tables) => (tables[table] ?? []).map(json));
    lines.push(...was.filter((row) => !is.includes(row)).map((row) => `    missing in ${table}: ${row}`));
    lines.push(...is.filter((row) => !was.includes(row)).map((row) => `    new in ${table}: ${row}`));
    if (lines.length === 0 && is.length !== was.length) lines.push(`    ${table} has ${is.length} rows instead of ${was.length}`);
  }
  count(lines.length === 0, () => [what, ...lines].join("\n"));
}

/** Checks that a text says something. */
export function says(what, text, part) {
  same(`${what}: says ${json(part)}`, text.includes(part) ? part : text, part);
}

/** Checks that there is nothing to complain of, and tells each complaint. */
export function none(what, complaints) {
  count(complaints.length === 0, () => [what, ...complaints.map((complaint) => `    ${complaint}`)].join("\n"));
}

/** Counts something that broke off as a failed check. */
export function broke(what, error) {
  count(false, () => `${what} broke off: ${error.stack ?? error}`);
}

/** Tells the counts. The process ends accordingly, once miniflare has cleared away what it kept. */
export function finish() {
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

export const failed = () => counts.failed;

/** Waits until `holds` answers with something true, for ten seconds at most. */
export async function eventually(what, holds) {
  for (let i = 0; i < 200; i += 1) {
    if (await holds()) return count(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  count(false, () => `${what}: not in ten seconds`);
}
