// In which order the functions of a Worker pack best.
//
// Compression looks back 32 kB, and a Worker is fifty times as long: what the compiler wrote
// alike for many types is found again only if it stands close by. So each function is followed
// by the one that has most in common with those just before it.
//
// The optimizer can put functions in the order of their names, and knows how to rewrite all
// that refers to them. So the order is told as names.

import { CODE, CUSTOM, IMPORT, imports, leb, moduleOf, reader, sections, spelled } from "./sections.mjs";

/** How many bytes in a row make a piece that two functions may have in common. */
const PIECE = 6;
/** How far back compression looks, in bytes, and a little less. */
const REACH = 30_000;
/** A piece that more functions have tells nothing, and comes up everywhere by itself. */
const COMMON = 200;
/** How much its length counts against a function: a long one brings along more for the next. */
const LENGTH = 0.7;

/** The same module, whose functions have their best places as names, and no others. */
export function namedByPlace(wasm) {
  const { imported, bodies, otherSections } = read(wasm);
  // As many digits for each, so that their order as texts is that of the numbers.
  const places = placesOf(bodies).map((place) => String(place).padStart(6, "0"));
  const names = places.flatMap((place, index) => [...leb(imported + index), ...spelled(place)]);
  const functionNames = [...leb(places.length), ...names];
  const content = Buffer.from([...spelled("name"), 1, ...leb(functionNames.length), ...functionNames]);
  return moduleOf(wasm, [...otherSections, { id: CUSTOM, content }]);
}

/** The place of each function: greedily, the next is the one that has the largest part of it
 * in common with those in reach. */
function placesOf(bodies) {
  const pieces = distinguishing(bodies.map(piecesOf));
  const havers = new Map();
  pieces.forEach((all, index) => all.forEach((piece) => havers.set(piece, [...(havers.get(piece) ?? []), index])));

  const inReach = new Map();
  const shared = new Int32Array(bodies.length);
  const count = (index, by) => {
    for (const piece of pieces[index]) {
      const before = inReach.get(piece) ?? 0;
      inReach.set(piece, before + by);
      if (before === 0 || before + by === 0) for (const haver of havers.get(piece)) shared[haver] += by;
    }
  };

  const left = new Set(bodies.keys());
  const order = [];
  let [first, length] = [0, 0];
  while (left.size > 0) {
    let [next, most] = [-1, -1];
    for (const index of left) {
      const part = shared[index] / bodies[index].length ** LENGTH;
      if (part > most) [next, most] = [index, part];
    }
    left.delete(next);
    order.push(next);
    count(next, 1);
    length += bodies[next].length;
    for (; length > REACH && first < order.length - 1; first += 1) {
      count(order[first], -1);
      length -= bodies[order[first]].length;
    }
  }
  const found = new Array(order.length);
  order.forEach((index, place) => (found[index] = place));
  return found;
}

/** All pieces of a function, each once, as hashes of their bytes. */
function piecesOf(body) {
  const found = new Set();
  for (let start = 0; start + PIECE <= body.length; start += 1) {
    let hash = 0x811c9dc5;
    for (let at = start; at < start + PIECE; at += 1) hash = Math.imul(hash ^ body[at], 0x01000193);
    found.add(hash);
  }
  return found;
}

/** Those pieces that several functions have, and not too many. */
function distinguishing(pieces) {
  const counts = new Map();
  for (const all of pieces) for (const piece of all) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  const tells = (piece) => counts.get(piece) > 1 && counts.get(piece) <= COMMON;
  return pieces.map((all) => [...all].filter(tells));
}

/** How many functions a module imports, the bodies of its own, and every section but that of
 * names. */
function read(wasm) {
  const all = sections(wasm);
  const [imported] = all.filter(({ id }) => id === IMPORT).map(({ content }) => imports(content));
  const [code] = all.filter(({ id }) => id === CODE).map(({ content }) => reader(content));
  return {
    imported: imported.filter(({ kind }) => kind === 0).length,
    bodies: Array.from({ length: code.number() }, () => code.take(code.number())),
    otherSections: all.filter(({ id, content }) => id !== CUSTOM || reader(content).text() !== "name"),
  };
}
