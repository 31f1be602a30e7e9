// The wire between the Workers and their store, as the tests hold it: it sees every call,
// and decides what becomes of each. Its other end is in wire_worker.mjs.

import { Response } from "miniflare";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Lets every call pass. */
export const PASS = () => "pass";

/**
 * What can become of a call. `there` is said before the call is made and `back` after it:
 * a call is let pass, or is lost, or never gets an answer.
 */
const FATES = {
  pass: { there: "pass", back: "pass" },
  /** The call never arrives. */
  "lost on the way": { there: "lost" },
  /** The call is made, and nobody learns of it. */
  "answer lost": { there: "pass", back: "lost" },
  /** The call is not made, and the Worker waits for ever. */
  "hangs on the way": { there: "hangs" },
  /** The call is made, and the Worker waits for ever. */
  "answer hangs": { there: "pass", back: "hangs" },
  /** The call is made once the Worker is woken. */
  "asleep on the way": { there: "asleep", back: "pass" },
};

export class Wire {
  /** Every call since the last {@link heed}, with what it cost. */
  calls = [];
  #order = PASS;
  #instant = "";
  #open = [];
  #hung = () => {};
  #sleepers = [];

  /**
   * From now on, `order` names the fate of every call. It is told the call, and its number
   * counted from one.
   */
  heed(order) {
    this.calls = [];
    this.#order = order;
  }

  /** The calls that are made while `act` does something, all of which pass. */
  async callsOf(act) {
    this.heed(PASS);
    await act();
    const calls = this.calls;
    this.heed(PASS);
    return calls;
  }

  /** From now on, the clock of the Workers' store stands still at `instant`. */
  standStill(instant) {
    this.#instant = String(instant);
  }

  /** Lets the calls be made that are asleep on their way. */
  wake() {
    for (const wake of this.#sleepers.splice(0)) wake();
  }

  /** Resolves when a call has begun to hang, or has fallen asleep. */
  hung() {
    return new Promise((resolve) => {
      this.#hung = resolve;
    });
  }

  /** The service that the other end of the wire asks: once before each call, once after. */
  answer = async (request) => {
    const { ticket, ...told } = await request.json();
    if (ticket !== undefined) {
      const call = Object.assign(this.#open[ticket], told);
      return this.#say(call.fate.back);
    }
    const call = told;
    this.calls.push(call);
    call.fate = FATES[this.#order(call, this.calls.length)];
    return this.#say(call.fate.there, ` ${this.#open.push(call) - 1} ${this.#instant}`);
  };

  #say(word, rest = "") {
    if (word !== "hangs" && word !== "asleep") return new Response(word + rest);
    this.#hung();
    if (word === "hangs") return new Promise(() => {});
    return new Promise((resolve) => this.#sleepers.push(() => resolve(new Response(`pass${rest}`))));
  }
}

const SNAPSHOTS = fileURLToPath(new URL("../../crates/sql/tests/output/", import.meta.url));

/** The names of all statements, by their texts. */
const NAMES = new Map(
  readdirSync(SNAPSHOTS).map((file) => {
    const name = file.slice(0, -".sql".length).replace("__", "/");
    return [readFileSync(SNAPSHOTS + file, "utf8").trim(), name];
  }),
);

/** The name of a statement: that of its snapshot. */
export const nameOf = (sql) => NAMES.get(sql.trim()) ?? sql;

/** What calls cost together. */
export function total(calls) {
  const batches = calls.filter((call) => call.binding === "DB");
  const rows = batches.flatMap((call) => call.rows);
  const sum = (what) => rows.reduce((sum, row) => sum + row[what], 0);
  const bucket = calls.filter((call) => call.binding === "BLOBS").length;
  return { calls: batches.length, statements: rows.length, read: sum("read"), written: sum("written"), bucket };
}

/** The numbers of the calls whose batches begin with the statement `name`; there must be some. */
export function numbersOf(calls, name) {
  const numbers = calls.flatMap((call, i) => (title(call).startsWith(name) ? [i + 1] : []));
  if (numbers.length === 0) throw new Error(`no call begins with ${name}: ${calls.map(title).join(", ")}`);
  return numbers;
}

/** What a call is about, in a few words. */
export function title({ method, key, statements }) {
  if (statements === undefined) return `${method} ${key.slice(0, 8)}…`;
  const [first, ...others] = statements.map(nameOf);
  return others.length > 0 ? `${first} and ${others.length} more` : first;
}
