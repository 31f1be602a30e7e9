// A host of photos on loopback that counts who asks for what, and that can be as strange
// as any other.

import { createServer } from "node:http";
import { once } from "node:events";

const PNG = Buffer.from("\x89PNG\r\n\x1A\n", "latin1");

/** A photo of its own for every name. */
export const photo = (name) => Buffer.concat([PNG, Buffer.from(`the photo of ${name}. `.repeat(50))]);

/** Starts a host. */
export async function photoHost() {
  const asked = new Map();
  const failing = new Map();
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, "http://host");
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
    const status = failing.get(pathname);
    if (status !== undefined) return void response.writeHead(status).end();
    answer(pathname, decodeURIComponent(search.slice(1)), request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  return {
    url,
    /** How often a path was asked for. */
    times: (path) => asked.get(path) ?? 0,
    forget: () => asked.clear(),
    /** From now on, a path is answered with an error. */
    fail: (path, status) => failing.set(path, status),
    mend: (path) => failing.delete(path),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(path, query, request, response) {
  const [, kind, name] = path.split("/");
  const send = (status, headers, body) => response.writeHead(status, headers).end(body);
  switch (kind) {
    case "photo":
      // Slow enough for two workers to meet.
      return void setTimeout(() => send(200, { "content-type": "image/png" }, photo(name)), 20);
    case "slow":
      return void setTimeout(() => send(200, { "content-type": "image/png" }, photo(name)), 500);
    case "polite": {
      const { accept, "user-agent": agent } = request.headers;
      const polite = agent?.startsWith("fencepost/0.") && accept?.includes("image/avif");
      return send(polite ? 200 : 400, { "content-type": "image/png" }, photo(name));
    }
    case "to":
      return send(302, { location: query });
    case "hop":
      return send(307, { location: name === "1" ? "/photo/hops" : String(Number(name) - 1) });
    case "status":
      return send(Number(name), {});
    case "page":
      return send(200, { "content-type": "text/html" }, "<!doctype html>");
    case "lying":
      return send(200, { "content-type": "image/png" }, "<svg xmlns='http://www.w3.org/2000/svg'/>");
    case "empty":
      return send(200, { "content-type": "image/png" });
    case "endless": {
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once("drain", more);
      };
      response.writeHead(200, { "content-type": "image/png" });
      return more();
    }
    case "promised":
      response.writeHead(200, { "content-type": "image/png", "content-length": "9000000000" });
      return response.flushHeaders();
    case "cut":
      response.writeHead(200, { "content-type": "image/png", "content-length": "1000" });
      response.write(photo(name).subarray(0, 100));
      return void setTimeout(() => response.destroy(), 20);
    case "silent":
      return;
    default:
      return send(404, {});
  }
}
