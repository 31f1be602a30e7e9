// The server as a process, with a folder and a port of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { adminOf, TOKEN } from "./admin.mjs";

const LISTENING = "listening on ";

/** The environment without what is set for other servers. */
export function bare() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("FENCEPOST_")));
}

/** An empty folder for a server. */
export const emptyPlace = () => mkdtempSync(path.join(tmpdir(), "fencepost-server-"));

/**
 * Starts a server with these words and settings, in an empty folder that ends with it, or in
 * a `place` that stays; at a free port, or at `port`.
 */
export async function serve(program, words, settings = {}, { place: stays, port = 0 } = {}) {
  const place = stays ?? emptyPlace();
  const options = { cwd: place, env: { ...bare(), FENCEPOST_ADMIN_TOKEN: TOKEN, ...settings }, stdio: ["ignore", "pipe", "pipe"] };
  const child = spawn(path.resolve(program), ["serve", "--listen", `127.0.0.1:${port}`, ...words], options);
  const log = [];
  child.stderr.on("data", (data) => log.push(data));
  const ended = once(child, "exit");
  /** Ends it in order, and answers with its exit code and the signal that ended it. */
  const stop = async () => {
    child.kill("SIGTERM");
    const end = await ended;
    if (stays === undefined) rmSync(place, { recursive: true, force: true });
    return end;
  };
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, "line"), once(lines, "close").then(() => [""])]);
  if (!line.startsWith(LISTENING)) {
    await stop();
    throw new Error(`no server: ${log.join("")}`);
  }
  const url = line.slice(LISTENING.length).trim().replace(/\/$/, "");
  return { url, place, stop, token: TOKEN, admin: adminOf(url, TOKEN), log: () => log.join("") };
}
