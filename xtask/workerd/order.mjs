// In which order the functions of a Worker pack best.
//
// Compression looks back 32 kB, and a Worker is fifty times as long: what the compiler wrote
// alike for many types is found again only if it stands close by. So each function is followed
// by the one that has most in common with those just before it.
//
// The optimizer can put functions in the order of their names, and knows how to rewrite all
// that refers to them. So the order is told as names.

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
  const name = (index, text) => [...leb(index), ...leb(text.length), ...Buffer.from(text)];
  // As many digits for each, so that their order as texts is that of the numbers.
  const names = places(bodies).map((place, index) => name(imported + index, String(place).padStart(6, "0")));
  const functionNames = Buffer.from([...leb(names.length), ...names.flat()]);
  const section = Buffer.concat([Buffer.from([4, ...Buffer.from("name"), 1, ...leb(functionNames.length)]), functionNames]);
  return Buffer.concat([wasm.subarray(0, 8), ...otherSections, Buffer.from([0, ...leb(section.length)]), section]);
}

/** The place of each function: greedily, the next is the one that has the largest part of it
 * in common with those in reach. */
function places(bodies) {
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
 * names. Node's own reader knows less of the format than what runs Workers. */
function read(wasm) {
  const [CUSTOM, IMPORT, CODE] = [0, 2, 10];
  let at = 8;
  const number = () => {
    for (let [value, shift] = [0, 0]; ; shift += 7) {
      const byte = wasm[at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const bytes = (length) => wasm.subarray(at, (at += length));
  const limits = () => (number() & 1 ? [number(), number()] : [number()]);
  // What an import tells besides its two names: of a function, a table, a memory, a global, a tag.
  const described = [number, () => [number(), limits()], limits, () => [number(), number()], () => [number(), number()]];
  const importedKind = () => {
    bytes(number());
    bytes(number());
    const kind = number();
    described[kind]();
    return kind;
  };

  let imported = 0;
  let bodies = [];
  const otherSections = [];
  while (at < wasm.length) {
    const start = at;
    const id = number();
    const length = number();
    const end = at + length;
    if (id === IMPORT) imported = Array.from({ length: number() }, importedKind).filter((kind) => kind === 0).length;
    if (id === CODE) bodies = Array.from({ length: number() }, () => bytes(number()));
    const isNames = id === CUSTOM && bytes(number()).toString() === "name";
    if (!isNames) otherSections.push(wasm.subarray(start, end));
    at = end;
  }
  return { imported, bodies, otherSections };
}

/** A number as a module has it, seven bits a byte. */
function leb(number) {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...leb(number >>> 7)];
}
