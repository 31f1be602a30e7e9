// HTTP by hand: every byte of a request is sent as it is, and what comes back is read
// without a client's opinion of it. A client of the usual kind would refuse to send most of
// what is of interest here.

import { connect } from "node:net";

/** How long an answer may take. */
const PATIENCE = 30_000;
/** How much is sent at once, in bytes, and how long is listened before there is more, in milliseconds. */
const PIECE = 131_072;
const LISTENING = 5;

/** A way to a site that is used for one request after the other, as long as both sides like. */
export class Wire {
  constructor(url) {
    const { hostname, port } = new URL(url);
    this.address = { host: hostname, port: Number(port) };
  }

  /**
   * Sends a request. Answers with status, headers and body, or with nothing if there was none.
   * A site may close a way that was used before, and mostly does after a body that it did not
   * want; then there is another way.
   */
  async send(request) {
    const isUsed = this.socket !== undefined;
    this.socket ??= await open(this.address);
    const answer = await exchange(this.socket, request);
    const goesOn = answer !== undefined && request.framing === undefined && answer.header("connection") !== "close";
    if (!goesOn) this.close();
    return answer === undefined && isUsed ? this.send(request) : answer;
  }

  close() {
    this.socket?.destroy();
    this.socket = undefined;
  }
}

/** A request as it is sent. Each character is a byte. */
export function bytes({ method, target, headers, body, framing }) {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  const length = body === undefined ? [] : [`content-length: ${body.length}`];
  const head = (more) => `${[...lines, ...more].join("\r\n")}\r\n\r\n`;
  const text = body ?? "";
  switch (framing) {
    case undefined: return Buffer.from(head(length) + text, "latin1");
    case "chunked": return Buffer.from(head(["transfer-encoding: chunked"]) + chunks(text), "latin1");
    case "bad chunk": return Buffer.from(`${head(["transfer-encoding: chunked"])}zz\r\n${text}\r\n`, "latin1");
    // More is promised than comes.
    case "cut": return Buffer.from(head([`content-length: ${text.length + 7}`]) + text, "latin1");
    // More comes than is promised: what is left over is another request, and none.
    case "overhang": return Buffer.from(head([`content-length: ${text.length >> 1}`]) + text, "latin1");
    case "two lengths": return Buffer.from(head([`content-length: ${text.length}`, `content-length: ${text.length + 1}`]) + text, "latin1");
    case "no length": return Buffer.from(head(["content-length: many"]) + text, "latin1");
    default: throw new Error(`there is no framing ${framing}`);
  }
}

function chunks(text) {
  const size = Math.max(1, text.length >> 1);
  const all = text.length === 0 ? [] : [text.slice(0, size), text.slice(size)].filter((part) => part !== "");
  return `${all.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`;
}

function open(address) {
  return new Promise((resolve, reject) => {
    const socket = connect(address);
    socket.setNoDelay(true);
    socket.once("connect", () => resolve(socket.off("error", reject)));
    socket.once("error", reject);
  });
}

function exchange(socket, request) {
  return new Promise((resolve, reject) => {
    const isHead = request.method === "HEAD";
    let got = Buffer.alloc(0);
    let isOver = false;
    const end = (settle) => {
      isOver = true;
      clearTimeout(timer);
      for (const name of ["data", "close", "error"]) socket.removeAllListeners(name);
      // A side that hangs up later is no business of anybody.
      socket.on("error", () => {});
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error(`no answer in ${PATIENCE} ms to ${request.method} ${request.target}`))), PATIENCE);
    socket.on("data", (data) => {
      got = Buffer.concat([got, data]);
      const answer = read(got, isHead, false);
      if (answer !== undefined) end(() => resolve(answer));
    });
    socket.on("error", () => {});
    socket.on("close", () => end(() => resolve(read(got, isHead, true))));
    pour(socket, bytes(request), () => isOver).then(() => request.framing === "cut" && socket.end());
  });
}

/** Sends what is long in pieces, and listens in between: a site need not wait for the end. */
async function pour(socket, sent, isOver) {
  for (let at = 0; at < sent.length && !isOver() && socket.writable; at += PIECE) {
    if (at > 0) await new Promise((resolve) => setTimeout(resolve, LISTENING));
    await new Promise((resolve) => socket.write(sent.subarray(at, at + PIECE), resolve));
  }
}

/** The answer in these bytes, if it is there in full. What says `100` is no answer yet. */
function read(got, isHead, isAll) {
  const end = got.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first, ...lines] = got.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(first.split(" ")[1]);
  if (status === 100) return read(got.subarray(end + 4), isHead, isAll);
  const headers = lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]);
  const header = (name) => headers.find(([known]) => known === name)?.[1];
  const rest = got.subarray(end + 4);
  const body = isHead || status === 204 || status === 304 ? Buffer.alloc(0) : content(rest, header, isAll);
  return body && { status, headers, header, body: body.toString("latin1") };
}

function content(rest, header, isAll) {
  if (header("transfer-encoding") === "chunked") return dechunked(rest);
  const length = header("content-length");
  if (length === undefined) return isAll ? rest : undefined;
  return rest.length >= Number(length) ? rest.subarray(0, Number(length)) : undefined;
}

function dechunked(rest) {
  const parts = [];
  for (;;) {
    const end = rest.indexOf("\r\n");
    if (end < 0) return undefined;
    const size = Number.parseInt(rest.subarray(0, end).toString("latin1"), 16);
    if (rest.length < end + size + 4) return undefined;
    if (size === 0) return Buffer.concat(parts);
    parts.push(rest.subarray(end + 2, end + 2 + size));
    rest = rest.subarray(end + size + 4);
  }
}
