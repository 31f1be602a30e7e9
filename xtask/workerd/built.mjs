// A built Worker, as miniflare is told of it.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The compiled part of a build, by which it is weighed. */
export const WASM = "index_bg.wasm";

/** The modules of the build in a folder. Where there is an `entry`, a file beside this one, it stands before them. */
export function built(build, entry) {
  const folder = path.resolve(build);
  // The Worker of the contract has no files.
  const directory = path.join(folder, "files");
  const routerConfig = { has_user_worker: true, invoke_user_worker_ahead_of_assets: true };
  const assets = existsSync(directory) && { assets: { directory, binding: "FILES", routerConfig } };
  if (entry !== undefined) {
    const file = (name) => path.join(folder, name);
    return {
      rootPath: folder,
      modulesRoot: folder,
      ...assets,
      modules: [
        { type: "ESModule", path: file("entry.mjs"), contents: readFileSync(fileURLToPath(new URL(entry, import.meta.url)), "utf8") },
        { type: "ESModule", path: file("index.js") },
        { type: "CompiledWasm", path: file(WASM) },
      ],
    };
  }
  return {
    rootPath: folder,
    modulesRoot: folder,
    scriptPath: path.join(folder, "index.js"),
    modules: true,
    ...assets,
    modulesRules: [{ type: "CompiledWasm", include: ["**/*.wasm"] }],
  };
}
