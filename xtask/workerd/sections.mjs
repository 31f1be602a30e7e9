// The parts of a compiled Worker, as far as building one has to know them. Node's own reader
// knows less of the format than what runs Workers.

export const CUSTOM = 0;
export const IMPORT = 2;
export const CODE = 10;

/** Reads a stretch of bytes from its beginning to its end. */
export function reader(bytes) {
  let at = 0;
  const number = () => {
    for (let [value, shift] = [0, 0]; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length) => bytes.subarray(at, (at += length));
  /** What is read by `read`, as it stands there. */
  const spelled = (read) => {
    const start = at;
    read();
    return bytes.subarray(start, at);
  };
  return { number, take, spelled, text: () => take(number()).toString(), isAtEnd: () => at >= bytes.length };
}

/** The sections of a module: the number of each, and what is in it. */
export function sections(wasm) {
  const from = reader(wasm.subarray(8));
  const found = [];
  while (!from.isAtEnd()) found.push({ id: from.number(), content: from.take(from.number()) });
  return found;
}

/** A module of these sections, with the beginning of `wasm`. */
export function moduleOf(wasm, all) {
  const spelled = all.flatMap(({ id, content }) => [Buffer.from([id, ...leb(content.length)]), content]);
  return Buffer.concat([wasm.subarray(0, 8), ...spelled]);
}

/** What a module imports: the names of each, its kind, and what else is told of it. */
export function imports(content) {
  const from = reader(content);
  const limits = () => (from.number() & 1 ? [from.number(), from.number()] : [from.number()]);
  const two = () => [from.number(), from.number()];
  // Of a function, a table, a memory, a global, a tag.
  const described = [from.number, () => [from.number(), limits()], limits, two, two];
  return Array.from({ length: from.number() }, () => {
    const [module, name, kind] = [from.text(), from.text(), from.number()];
    return { module, name, kind, described: from.spelled(described[kind]) };
  });
}

/** A number as a module has it, seven bits a byte. */
export function leb(number) {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...leb(number >>> 7)];
}

/** A text as a module has it. */
export function spelled(text) {
  const bytes = Buffer.from(text);
  return [...leb(bytes.length), ...bytes];
}
