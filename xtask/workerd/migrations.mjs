// The migrations of the workspace, as single statements in their order.

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const own = fileURLToPath(new URL("../../migrations/", import.meta.url));

/** Every statement of every migration in a folder. Each ends in `;` at the end of a line. */
export function statements(folder = own) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql")).sort();
  return files.flatMap((name) => {
    const text = readFileSync(path.join(folder, name), "utf8").replace(/^\s*--.*$/gm, "");
    return text.split(/;\s*$/m).map((sql) => sql.trim()).filter((sql) => sql !== "");
  });
}

/** Applies all migrations to an empty database, in one batch: those of the workspace, or of another folder. */
export async function migrate(database, folder) {
  await database.batch(statements(folder).map((sql) => database.prepare(sql)));
}
