// The examples inside workerd, in everything that can go wrong around them.
//
//   node examples.mjs EXAMPLE [FAULT]
//
// What the examples are is told in files of their own. What goes wrong is in examples/faults.mjs,
// the same for all of them; an example may add to it.

import { broke, failed, finish } from "./checks.mjs";
import { FAULTS } from "./examples/faults.mjs";

const [name, only] = process.argv.slice(2);
const { example } = await import(`./examples/${name}.mjs`);
const table = {};
for (const [fault, play] of Object.entries({ ...FAULTS, ...example.faults })) {
  if (only !== undefined && only !== fault) continue;
  const [begun, failedBefore] = [Date.now(), failed()];
  const cases = await play(example).catch((error) => broke(`${name}, ${fault}`, error));
  table[fault] = { cases, seconds: Math.round((Date.now() - begun) / 100) / 10, ok: failed() === failedBefore };
}
console.log(`${name}, in workerd:`);
console.table(table);
finish();
