// The site of `cargo xtask worker dev` as a process, for those who look at it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { adminOf } from "./admin.mjs";

const DEV = fileURLToPath(new URL("dev.mjs", import.meta.url));
const PATIENCE = 60_000;

/** Starts it with the arguments of dev.mjs, and waits until all that is due was looked at. */
export async function develop(args) {
  const child = spawn(process.execPath, [DEV, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  const said = (part) => lines.find((line) => line.includes(part));
  const kill = () => child.kill("SIGKILL");
  try {
    await until("the start", () => said("Ctrl-C") !== undefined);
    // Each cron is fired once at the start.
    await until("two runs", () => lines.filter((line) => line.includes("due items")).length >= 2);
  } catch (error) {
    kill();
    throw new Error(`${error.message}; the site said:\n${lines.join("\n")}`);
  }
  const [, token, url] = said("admin API").match(/Bearer ([^']+)' (.*)\/admin\/api\/status/);
  /** A Ctrl-C; answers with the exit code and the signal that ended it. */
  const stop = () => {
    child.kill("SIGINT");
    return ended;
  };
  return { url, token, admin: adminOf(url, token), lines, said, stop, kill, log: () => lines.join("\n") };
}

async function until(what, ready) {
  for (const end = Date.now() + PATIENCE; !ready(); ) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
