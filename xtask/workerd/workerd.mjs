// What every test in workerd needs of miniflare, and of the process that it starts.

import childProcess from "node:child_process";
import { fileURLToPath } from "node:url";

/** A Worker of the tests, in a file beside this one. */
export const script = (file) => ({
  modules: true,
  scriptPath: fileURLToPath(new URL(file, import.meta.url)),
  modulesRoot: fileURLToPath(new URL(".", import.meta.url)),
});

let started;
const { spawn } = childProcess;
childProcess.spawn = (...args) => (started = spawn(...args));

/** The process that was started last: after a start of miniflare, workerd's. */
export const lastStarted = () => started;
