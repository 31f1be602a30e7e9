// A built Worker, as miniflare is told of it.

import path from "node:path";

/** The modules of the build in a folder. */
export function built(build) {
  const folder = path.resolve(build);
  return {
    rootPath: folder,
    modulesRoot: folder,
    scriptPath: path.join(folder, "index.js"),
    modules: true,
    modulesRules: [{ type: "CompiledWasm", include: ["**/*.wasm"] }],
  };
}
