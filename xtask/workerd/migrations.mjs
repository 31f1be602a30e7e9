// The migrations of the workspace, as single statements in their order.

import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../migrations/", import.meta.url));

/** Every statement of every migration. Each ends in `;` at the end of a line. */
export function statements() {
  const files = readdirSync(folder).filter((name) => name.endsWith(".sql")).sort();
  return files.flatMap((name) => {
    const text = readFileSync(folder + name, "utf8").replace(/^\s*--.*$/gm, "");
    return text.split(/;\s*$/m).map((sql) => sql.trim()).filter((sql) => sql !== "");
  });
}

/** Applies all migrations to an empty database, in one batch. */
export async function migrate(database) {
  await database.batch(statements().map((sql) => database.prepare(sql)));
}
