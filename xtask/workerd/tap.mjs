// What a Worker asks of the runtime itself, the cache and the network, told to the wire.
//
// The wire stands in the place of bindings, and neither of these is one. So this module is
// put before the built Worker, and changes what the runtime offers: a call is told, let pass,
// and its answer is told as well. Nothing gets lost here.

import { env } from "cloudflare:workers";

export * from "./index.js";
export { default } from "./index.js";

const tell = async (told) => (await env.ORDERS.fetch("http://orders/", { method: "POST", body: JSON.stringify(told) })).text();

/** The function, after whose calls the wire is told what `heard` makes of the answers. */
function tapped(inner, binding, method, heard) {
  return async function (asked, ...rest) {
    const [, ticket] = (await tell({ binding, method, key: asked.url ?? String(asked) })).split(" ");
    const answer = await inner.call(this, asked, ...rest);
    await tell({ ticket, ...heard(answer) });
    return answer;
  };
}

const cache = Cache.prototype;
cache.match = tapped(cache.match, "CACHE", "match", (answer) => ({ found: answer !== undefined }));
cache.put = tapped(cache.put, "CACHE", "put", () => ({}));
globalThis.fetch = tapped(globalThis.fetch, "NETWORK", "fetch", ({ status }) => ({ status }));
