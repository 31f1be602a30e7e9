// The site that is looked at: the demo of the server, or the Worker as on a developer's
// machine. And one whose clock is set: at one address, it is started anew for each instant,
// with what it has stored.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { develop } from "../../dev_site.mjs";
import { emptyPlace, serve } from "../../server.mjs";

/** Here, one address plays more than any household does. */
const RATE = { FENCEPOST_PLAYER_RATE: "0" };

/** For each target, how its site is started, and how one that lasts is. */
const TARGETS = {
  server: ([program]) => ({
    start: () => serve(program, ["--demo"], RATE),
    lasting(port) {
      const place = emptyPlace();
      const start = (settings) => serve(program, ["--demo"], { ...RATE, ...settings }, { place, port });
      return { start, remove: () => rmSync(place, { recursive: true, force: true }) };
    },
  }),
  worker: ([config, build, state, port]) => {
    // The tables are there, and nothing else is.
    const other = `${state}-midnight`;
    rmSync(other, { recursive: true, force: true });
    cpSync(state, other, { recursive: true });
    return {
      start: () => develop([config, build, state, port]),
      lasting(port) {
        const start = (settings) => develop([config, build, other, String(port), JSON.stringify(settings)]);
        return { start, remove: () => rmSync(other, { recursive: true, force: true }) };
      },
    };
  },
};

export const sitesOf = (target, args) => {
  const { start, lasting } = TARGETS[target](args);
  return { start, lasting: async () => clocked(lasting(await freePort())) };
};

function clocked({ start, remove }) {
  const secret = randomBytes(32).toString("hex");
  let running;
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  return {
    /** Starts it anew when it is `now`. Answers where. */
    async at(now) {
      await stop();
      const offset = String(now - Date.now());
      running = await start({ FENCEPOST_SECRET: secret, FENCEPOST_TEST_CLOCK_OFFSET_MS: offset });
      return running.url;
    },
    admin: (...request) => running.admin(...request),
    async end() {
      await stop();
      remove();
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
