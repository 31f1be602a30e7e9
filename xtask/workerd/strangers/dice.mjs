// Dice that fall the same way whenever they are thrown for the same.

import { createHash } from "node:crypto";

/** Dice of their own for whatever `of` names, such as a seed, a route and a number. */
export function dice(...of) {
  const digest = createHash("sha256").update(of.join("/")).digest();
  let [a, b, c, count] = [0, 4, 8, 12].map((at) => digest.readUInt32LE(at));
  /** The next of 2^32 numbers, as the generator sfc32 has it. */
  const next = () => {
    const sum = (a + b + count) >>> 0;
    count = (count + 1) >>> 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) >>> 0;
    c = ((((c << 21) | (c >>> 11)) >>> 0) + sum) >>> 0;
    return sum;
  };
  /** A whole number from 0 to just below `end`. */
  const below = (end) => Math.floor((next() / 2 ** 32) * end);
  return {
    below,
    /** Happens once in so many times. */
    once: (inSoMany) => below(inSoMany) === 0,
    /** One of these; a function among them is asked for what it makes. */
    one: (all) => {
      const one = all[below(all.length)];
      return typeof one === "function" ? one() : one;
    },
    /** So many of any bytes, one character each. */
    bytes: (length) => Array.from({ length }, () => String.fromCharCode(below(256))).join(""),
  };
}
