// A Worker that does nothing of its own: it answers "ok", or makes the calls that it was told
// of, one after the other, and answers with the body that it was told. What it costs is what
// the platform costs, with which the built Worker's cost is compared.

const told = new Map();

/** How a call is made. What is kept is found again only by a request with the same `mark`. */
const CALLS = {
  batch: ({ statements, values }, { env }) => env.DATABASE.batch(statements.map((sql, i) => env.DATABASE.prepare(sql).bind(...values[i]))),
  get: async ({ key }, { env }) => (await env.BUCKET.get(key)).arrayBuffer(),
  head: ({ key }, { env }) => env.BUCKET.head(key),
  match: async ({ key }, { mark }) => (await caches.default.match(`${key}${mark}`))?.arrayBuffer(),
  put: ({ key }, { mark, body, context }) => {
    const kept = new Response(body, { headers: { "cache-control": "public, max-age=600" } });
    context.waitUntil(caches.default.put(`${key}${mark}`, kept));
  },
};

export default {
  async fetch(request, env, context) {
    const { pathname, search: mark } = new URL(request.url);
    if (pathname === "/learn") {
      for (const [path, script] of Object.entries(await request.json())) told.set(path, script);
      return new Response("learned");
    }
    const script = told.get(pathname);
    if (script === undefined) return new Response("ok");
    const body = "x".repeat(script.bytes);
    for (const call of script.calls) await CALLS[call.method](call, { env, mark, body, context });
    return new Response(body);
  },
};
