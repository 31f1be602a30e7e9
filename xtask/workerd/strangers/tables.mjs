// Everything that a server stores, as rows that can be compared.

import { Miniflare } from "miniflare";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const STORES = ["fencepost.db", "blobs"];

/**
 * All rows of the server's database in the folder `place`, and the names of its photos. Node
 * has no SQLite of its own before version 22, and workerd has one: it reads a copy, as D1.
 */
export async function stored(place) {
  const persist = mkdtempSync(path.join(tmpdir(), "fencepost-copy-"));
  try {
    await read(persist, "SELECT 1");
    const folder = path.join(persist, "miniflare-D1DatabaseObject");
    const [name] = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
    for (const end of ["", "-wal", "-shm"]) {
      rmSync(path.join(folder, name + end), { force: true });
      const file = path.join(place, STORES[0] + end);
      if (existsSync(file) && end !== "-shm") cpSync(file, path.join(folder, name + end));
    }
    const [tables] = await read(persist, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%cf%'");
    const names = tables.map((table) => table.name);
    const rows = await read(persist, ...names.map((table) => `SELECT * FROM ${table}`));
    const photos = readdirSync(path.join(place, STORES[1]), { recursive: true }).sort();
    return { ...Object.fromEntries(names.map((table, i) => [table, rows[i]])), photos };
  } finally {
    rmSync(persist, { recursive: true, force: true });
  }
}

async function read(persist, ...statements) {
  const miniflare = new Miniflare({ modules: true, script: "export default {}", cf: false, d1Databases: { DB: "copy" }, d1Persist: persist });
  try {
    const database = await miniflare.getD1Database("DB");
    const results = [];
    for (const statement of statements) results.push((await database.prepare(statement).all()).results);
    return results;
  } finally {
    await miniflare.dispose();
  }
}
