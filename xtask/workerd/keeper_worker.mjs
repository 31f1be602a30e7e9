// The tests' own hand in database and bucket, as it runs inside workerd. It asks for many
// things at once: from outside, every word of a question would be a message of its own.

export default {
  async fetch(request, env) {
    if (request.method === "GET") {
      const { objects } = await env.BUCKET.list();
      return Response.json(objects.map((object) => object.key));
    }
    const statements = await request.json();
    try {
      const results = await env.DATABASE.batch(statements.map(([sql, ...values]) => env.DATABASE.prepare(sql).bind(...values)));
      return Response.json(results.map(({ results: rows, meta }) => ({ rows, read: meta.rows_read, written: meta.rows_written })));
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};
