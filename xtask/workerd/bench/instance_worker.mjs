// Instantiates the module of a built Worker, with functions that do nothing in the place of
// what it imports, and tells how many milliseconds that takes.

import module from "./index_bg.wasm";

const TIMES = 20;
const NOTHING = { function: () => {}, tag: WebAssembly.JSTag };

export default {
  fetch() {
    const imports = {};
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = NOTHING[kind];
    const begun = performance.now();
    for (let times = 0; times < TIMES; times += 1) new WebAssembly.Instance(module, imports);
    return new Response(String((performance.now() - begun) / TIMES));
  },
};
