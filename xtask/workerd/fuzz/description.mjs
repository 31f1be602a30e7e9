// The description, in the hands of programs that were made to judge it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { bare } from "../server.mjs";

/** How a sound request may be refused: by rules of time, of state and of other rows, which no schema tells. */
const REFUSALS = ["2xx", 304, 400, 401, 403, 404, 409, 410, 415, 422];
/** How an unsound one may be, besides being told what is wrong with it. */
const REFUSED = [400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422];

/** What is wrong with a description, as text; nothing if nothing is. */
export async function validate(python, description) {
  return inFolder(description, async (file) => {
    const said = [];
    const child = spawn(path.join(python, "openapi-spec-validator"), [file], { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => said.push(data));
    const [code] = await once(child, "close");
    return code === 0 ? "" : said.join("");
  });
}

/**
 * Drives a site by its description. Answers with the complaints, as text, and with how often
 * each operation was answered with which status.
 */
export async function fuzz({ python, description, url, known, examples, token }) {
  return inFolder(closed(description, known), async (file, folder) => {
    const [config, report] = ["schemathesis.toml", "report.ndjson"].map((name) => path.join(folder, name));
    writeFileSync(config, settings(known, token));
    const words = ["--config-file", config, "--no-color", "run", file, "--url", url, "--max-examples", examples, "--warnings", "off"];
    const options = { cwd: folder, env: { ...bare(), COLUMNS: "150" }, stdio: ["ignore", "pipe", "pipe"] };
    const child = spawn(path.join(python, "schemathesis"), [...words, "--report-ndjson-path", report], options);
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => said.push(data));
    const [code] = await once(child, "close");
    return { complaints: code === 0 ? [] : [said.join("")], answers: await answers(report) };
  });
}

/** How often each operation was answered with which status, by the report of a run. */
async function answers(report) {
  const table = {};
  for await (const line of createInterface({ input: createReadStream(report) })) {
    const { recorder } = JSON.parse(line).ScenarioFinished ?? {};
    for (const [id, { response }] of Object.entries(recorder?.interactions ?? {})) {
      const { method, path } = recorder.cases[id].value;
      const statuses = (table[`${method} ${path}`] ??= {});
      const status = response?.status_code ?? "unanswered";
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }
  return table;
}

/**
 * The description, with nothing in an answer but what is described: to clients, members that
 * they do not know are no breach, and here they are something that was forgotten. Photos are
 * those of this machine, since a site fetches what it is told to. And what nobody could guess
 * stands there as an example.
 */
function closed(description, known) {
  const copy = structuredClone(description);
  const { schemas, parameters } = copy.components;
  const close = (schema) => {
    if (schema === null || typeof schema !== "object") return;
    if (schema.type === "object" && schema.properties !== undefined) schema.additionalProperties ??= false;
    Object.values(schema).forEach(close);
  };
  close(schemas);
  schemas.ImportRow.properties.image_url = { enum: [null, ...known.photos] };
  delete schemas.PuzzleId.example;
  schemas.PuzzleId.examples = known.examples;
  schemas.ImageKey.example = known.openKey;
  // The one that is dead.
  schemas.EventId.example = known.events[0];
  const bodies = (path, values) => {
    const content = copy.paths[path].post.requestBody.content["application/json"];
    content.examples = Object.fromEntries(values.map((value, i) => [`known ${i}`, { value }]));
  };
  bodies("/api/puzzles/{id}/guess", known.guesses);
  bodies("/api/results", known.results);
  bodies("/admin/api/items/{id}/reschedule", known.reschedules);
  for (const [path, link] of Object.entries(known.links)) {
    const given = Object.fromEntries(new URL(link).searchParams);
    const spelled = ({ $ref }) => {
      const parameter = parameters[$ref.split("/").at(-1)];
      return parameter.in === "query" ? { ...parameter, example: parameter.name === "expires" ? Number(given.expires) : given[parameter.name] } : parameter;
    };
    copy.paths[path].parameters = copy.paths[path].parameters.map(spelled);
  }
  return copy;
}

async function inFolder(description, act) {
  const folder = mkdtempSync(path.join(tmpdir(), "fencepost-fuzz-"));
  const file = path.join(folder, "openapi.json");
  writeFileSync(file, JSON.stringify(description));
  try {
    return await act(file, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What schemathesis is told. Texts, numbers and lists of JSON are the same in TOML. */
function settings({ ids, keys, events, assets }, token) {
  const json = JSON.stringify;
  const known = Object.entries({ ids, keys, events, assets });
  const often = (dictionary) => `{ dictionary = "${dictionary}", probability = 0.8 }`;
  const lines = known.map(([name, values]) => `[dictionaries.${name}]\nvalues = ${json(values)}`);
  lines.push(
    "[parameters]", `"path.key" = ${often("keys")}`, `"path.file" = ${often("assets")}`,
    "[checks]", `positive_data_acceptance.expected-statuses = ${json(REFUSALS)}`, `negative_data_rejection.expected-statuses = ${json(REFUSED)}`,
    // The same requests whenever the same is asked for.
    "[generation]", "deterministic = true", `database = "none"`,
  );
  if (token !== undefined) lines.push("[auth.openapi.adminToken]", `bearer = ${json(token)}`);
  const events_path = "/admin/api/outbox/{id}/retry";
  lines.push("[[operations]]", `include-path-regex = '/\\{id\\}'`, `exclude-path = "${events_path}"`, `parameters = { "path.id" = ${often("ids")} }`);
  lines.push("[[operations]]", `include-path = "${events_path}"`, `parameters = { "path.id" = ${often("events")} }`);
  return `${lines.join("\n")}\n`;
}
