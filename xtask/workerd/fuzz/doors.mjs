// Every operation of an operator, asked for by somebody who has no token, or nearly one: the
// answer is the same, to the byte, whatever is asked for and whether it exists.

import http from "node:http";
import { TOKEN } from "../admin.mjs";
import { none, same } from "../checks.mjs";

const changed = (at) => `${TOKEN.slice(0, at)}${TOKEN.at(at) === "x" ? "y" : "x"}${at === -1 ? "" : TOKEN.slice(at + 1)}`;
/** A token that is wrong from its first byte on, and one that is right up to its last. */
export const NEARLY = { first: changed(0), last: changed(-1) };

/** What somebody may send as `Authorization`, by what is wrong with it. */
const WRONG = {
  nothing: undefined,
  "an empty one": "",
  "a scheme alone": "Bearer",
  "a blank token": "Bearer ",
  "another token": "Bearer wrong",
  "a wrong first byte": `Bearer ${NEARLY.first}`,
  "a wrong last byte": `Bearer ${NEARLY.last}`,
  "all but the last byte": `Bearer ${TOKEN.slice(0, -1)}`,
  "one byte more": `Bearer ${TOKEN}x`,
  "another case": `Bearer ${TOKEN.toUpperCase()}`,
  "a word behind it": `Bearer ${TOKEN} x`,
  "another scheme": `Basic ${TOKEN}`,
  "a basic one": `Basic ${Buffer.from(`admin:${TOKEN}`).toString("base64")}`,
  "no scheme": TOKEN,
  "the token twice": [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`],
  "a very long one": `Bearer ${"x".repeat(8_000)}`,
};
/** Headers that tell when or how something arrived, and not what. */
const INCIDENTAL = new Set(["date", "connection", "keep-alive"]);

/** Asks for everything, and complains of every answer that is another. */
export async function doors(name, url, { paths }, known) {
  // workerd closes a connection whose body it has not read.
  const agent = new http.Agent({ keepAlive: false });
  const asked = [];
  for (const [path, item] of Object.entries(paths)) {
    for (const method of ["get", "post"].filter((method) => item[method]?.security?.length > 0)) {
      for (const address of addresses(path, known)) asked.push([method.toUpperCase(), address]);
    }
  }
  same(`the ${name} has doors`, asked.length > 20, true);
  // What is not described tells no more.
  for (const address of ["/admin/api", "/admin/api/nope", "/admin/api/items/x/y/z"]) asked.push(["GET", address]);
  for (const method of ["PUT", "DELETE", "OPTIONS", "PATCH"]) asked.push([method, "/admin/api/items"], [method, "/metrics"]);

  const complaints = [];
  let first;
  for (const [method, address] of asked) {
    for (const [what, authorization] of Object.entries(WRONG)) {
      const answer = await ask(agent, url, method, address, authorization);
      first ??= answer;
      if (answer !== first) complaints.push(`${method} ${address} with ${what}: ${answer}`);
    }
  }
  agent.destroy();
  same(`the ${name}: a door stays closed`, [first.slice(0, 4), first.includes("urn:fencepost:problem:unauthorized")], ["401 ", true]);
  none(`the ${name}: all doors look the same`, complaints.slice(0, 5));
  console.log(`the ${name}: ${asked.length} doors, each tried with ${Object.keys(WRONG).length} tokens that are none`);
}

/** What is there and what is not, for every variable part. */
function addresses(path, { open, events }) {
  if (path.includes("/outbox/{id}")) return [events[0], "publish-4711-v1"].map((id) => path.replace("{id}", id));
  if (path.includes("{job}")) return ["publish", "compensate", "nothing"].map((job) => path.replace("{job}", job));
  return path.includes("{id}") ? [open, 1118, 4711, "x"].map((id) => path.replace("{id}", id)) : [path];
}

/** An answer as text: status, headers and body. */
function ask(agent, url, method, path, authorization) {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", ...(authorization !== undefined && { authorization }) };
    const request = http.request(new URL(path, url), { agent, method, headers }, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      const told = Object.entries(response.headers).filter(([name]) => !INCIDENTAL.has(name)).sort();
      resolve(`${response.statusCode} ${JSON.stringify(told)} ${Buffer.concat(chunks)}`);
    });
    request.on("error", reject);
    request.end(method === "POST" ? "{}" : undefined);
  });
}
