// A receiver of events on loopback, which misbehaves as it is told, and checks that what it
// gets was sent by the site.

import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

/** Whether a body was sent by whoever has the secret, as the README tells receivers to find out. */
export function isSigned(secret, header, body) {
  const { t, v1 } = Object.fromEntries(header.split(",").map((part) => part.split("=")));
  const expected = createHmac("sha256", secret).update(`${t}.${body}`).digest();
  const given = Buffer.from(v1 ?? "", "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Starts a receiver. */
export async function webhookReceiver(secret) {
  const got = [];
  const manners = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const { headers, method, url } = request;
    const signature = headers["x-fencepost-signature"] ?? "";
    const signed = isSigned(secret, signature, body);
    got.push({ method, url, signed, signature, headers, body, key: headers["idempotency-key"], told: JSON.parse(body) });
    const manner = manners.shift() ?? 200;
    if (manner === "hang") return;
    if (manner === "lose the answer") return void request.socket.destroy();
    if (manner === "elsewhere") return void response.writeHead(307, { location: "/elsewhere" }).end();
    response.writeHead(manner).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/events?key=of-the-receiver`,
    /** Everything that arrived. */
    got,
    /** The keys of everything that arrived. */
    keys: () => got.map(({ key }) => key),
    /** Behaves like this, once each, and well afterwards. */
    behave: (...next) => void manners.push(...next),
    /** Resolves when what has this key has arrived so often, or not for long. */
    async has(key, times = 1) {
      const arrived = () => got.filter((notice) => notice.key === key).length;
      for (let i = 0; arrived() < times && i < 500; i += 1) await new Promise((done) => setTimeout(done, 20));
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
