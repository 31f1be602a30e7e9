// The names by which a Worker's program asks its script for functions, made short.
//
// Each ends with a hash, which no compression makes smaller, and nobody else reads them.

import { IMPORT, imports, leb, moduleOf, sections, spelled } from "./sections.mjs";

/** Program and script, with short names for what one asks of the other. */
export function withShortNames(wasm, script) {
  const all = sections(wasm);
  const section = all.find(({ id }) => id === IMPORT);
  const asked = imports(section.content);
  const short = new Map(asked.map(({ name }, index) => [name, `_${index.toString(36)}`]));
  if (short.size < asked.length) throw new Error("the program asks twice for the same name");

  const told = new Set();
  const renamed = script.replace(/\b__wb\w+/g, (name) => {
    if (!short.has(name)) return name;
    if (told.has(name)) throw new Error(`the script has ${name} twice`);
    told.add(name);
    return short.get(name);
  });
  if (told.size < short.size) throw new Error("the script lacks a function that the program asks for");

  const spell = ({ module, name, kind, described }) => [...spelled(module), ...spelled(short.get(name)), kind, ...described];
  const content = Buffer.from([...leb(asked.length), ...asked.flatMap(spell)]);
  const shortened = all.map((one) => (one === section ? { id: IMPORT, content } : one));
  return { wasm: moduleOf(wasm, shortened), script: renamed };
}
