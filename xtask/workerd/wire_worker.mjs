// The wire between a Worker and its store, as it runs inside workerd: a database and a
// bucket that pass every call on to the real ones, and ask first what is to become of it.
//
// The platform's crate knows a binding by the name of its class, so the classes are named
// as the platform's are. They have the methods that the Worker uses and no others: a call
// that nobody wrote down here would go past the wire unseen, so it must fail instead.
//
// This is one module because it has to be: what wraps a binding can import nothing.

const LOST = {
  DB: () => new Error("D1_ERROR: Network connection lost.", { cause: new Error("Network connection lost.") }),
  BLOBS: (method) => new Error(`${method}: Network connection lost. (10001)`),
};

/** Lets a call pass, or loses it on the way there, or its answer on the way back. `run` is told where a clock stands still. */
async function carry(env, call, run, told) {
  const ask = async (question) => {
    const response = await env.ORDERS.fetch("http://orders/", { method: "POST", body: JSON.stringify(question) });
    return response.text();
  };
  const [order, ticket, instant] = (await ask(call)).split(" ");
  if (order === "lost") throw LOST[call.binding](call.method);
  let result;
  try {
    result = await run(instant);
  } catch (error) {
    await ask({ ticket, error: error.message });
    throw error;
  }
  if ((await ask({ ticket, ...told(result) })) === "lost") throw LOST[call.binding](call.method);
  return result;
}

/** What a batch cost, by the database's own account. */
const costs = (results) => ({
  rows: results.map(({ meta }) => ({ read: meta.rows_read, written: meta.rows_written })),
});

class Statement {
  constructor(sql, values = []) {
    this.sql = sql;
    this.values = values;
  }

  bind(...values) {
    return new Statement(this.sql, values);
  }
}

export function database(env) {
  return new (class D1Database {
    prepare(sql) {
      return new Statement(sql);
    }

    batch(statements) {
      const [texts, values] = [statements.map(({ sql }) => sql), statements.map(({ values }) => values)];
      const call = { binding: "DB", method: "batch", statements: texts, values };
      // A clock that is shifted by some text is this very instant, where it is a number.
      const at = (instant) => (value) => (instant && env.SHIFTS.includes(value) ? Number(instant) : value);
      const inner = (instant) => statements.map(({ sql, values }) => env.DATABASE.prepare(sql).bind(...values.map(at(instant))));
      return carry(env, call, (instant) => env.DATABASE.batch(inner(instant)), costs);
    }
  })();
}

export function bucket(env) {
  const pass = (method, key, ...rest) =>
    carry(env, { binding: "BLOBS", method, key }, () => env.BUCKET[method](key, ...rest), () => ({}));
  return new (class R2Bucket {
    head(...args) {
      return pass("head", ...args);
    }

    get(...args) {
      return pass("get", ...args);
    }

    put(...args) {
      return pass("put", ...args);
    }
  })();
}
