// What a site may say to a stranger.
//
// Success has to be deserved: what is read is there for everybody, and what is sent is sound,
// by rules that are written here once more, from the documentation and not from the code.
// Whatever else is asked for is refused, in the way that its address promises.

const PROBLEM = "application/problem+json";
const API = /^\/api\/(puzzles\/[^/]+\/(guess|stats)|results)$/;
const ADMIN = /^(\/admin\/api(\/.*)?|\/metrics)$/;
/** A body that no server reads to its end, in bytes. */
const A_LOT = 1_000_000;
const GUESS = /^\/api\/puzzles\/1119\/guess$/;

/** What is wrong with an answer; nothing if nothing is. */
export function judge(request, answer, known) {
  // A request that is cut off, or no HTTP, may find nobody who wants to answer. Who sends
  // far too much may be hung up on before the answer is heard.
  if (answer === undefined) return mayBeUnanswered(request) ? undefined : "no answer at all";
  const { status, body } = answer;
  if (status >= 500) return `a fault: ${status}`;
  const price = pathOf(request, known)?.startsWith("/preview/") ? undefined : known.prices.find((price) => standsIn(body, price));
  if (price !== undefined) return `a price that nobody may know: ${price}`;
  if (status === 200) return isDeserved(request, known) ? undefined : "a success that is not deserved";
  if (status === 304) return isRead(request, known) && hasHeader(request, "if-none-match") ? undefined : "a 304 that is not deserved";
  if (status < 400) return `neither a success nor a refusal: ${status}`;
  return isProblemWanted(request, answer, known) ? notAProblem(request, answer) : undefined;
}

/** The path of a request, as the site understands it: the platform of Workers resolves dots. */
function pathOf({ target }, { bare }) {
  const path = target.split("?")[0].replace(/^https?:\/\/[^/]*/, "");
  if (bare) return path;
  try {
    return new URL(path, "http://x").pathname;
  } catch {
    return undefined;
  }
}

/** Whether a text has this number as one, and not in the middle of a signature. */
const standsIn = (text, number) => new RegExp(`(?<![\\w.,])${number.replace(".", "\\.")}(?!\\w)`).test(text);
const hasHeader = ({ headers }, name) => headers.some(([known]) => known === name);
const typeOf = ({ headers }) => headers.find(([name]) => name === "content-type")?.[1].split(";")[0].trim().toLowerCase();

function mayBeUnanswered(request) {
  return ["cut", "bad chunk"].includes(request.framing) || (request.body?.length ?? 0) > A_LOT;
}

function isDeserved(request, known) {
  if (["GET", "HEAD"].includes(request.method)) return isRead(request, known);
  const path = pathOf(request, known);
  if (request.method === "POST" && GUESS.test(path)) return isSoundGuess(request, known);
  if (request.method === "POST" && path === "/api/results") return isSoundReport(request, known);
  return request.method === "POST" && path === "/play/1119" && isSoundForm(request, known);
}

/** Whether an address is one that everybody may read, or whose holder has a link to it. */
function isRead(request, known) {
  const query = request.target.split("?").slice(1).join("?").split("#")[0];
  const path = pathOf(request, known);
  if (path === "/answers") return isDate(new URLSearchParams(query).get("before"));
  if (path?.startsWith("/preview/")) return known.ownLinks.some((link) => isThisLink(link, path, query));
  return known.addresses.includes(path);
}

const isDate = (before) => before === null || ["2026-11-28", "9999-12-31"].includes(before);

function isThisLink(link, path, query) {
  const [ownPath, ownQuery] = link.split("?");
  const [own, asked] = [ownQuery, query].map((text) => new URLSearchParams(text));
  const isSame = ["expires", "signature"].every((name) => asked.getAll(name).length === 1 && asked.get(name) === own.get(name));
  return ownPath === path && isSame;
}

/** The members of a body that is JSON of the right type and length. */
function members(request) {
  if (typeOf(request) !== "application/json" || request.body.length > 4_096) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(sentBody(request));
    const value = JSON.parse(text.replace(/^\ufeff/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const sentBody = ({ body, framing }) => Buffer.from(framing === "overhang" ? body.slice(0, body.length >> 1) : (body ?? ""), "latin1");

function isSoundGuess(request, known) {
  const body = members(request);
  if (body === undefined || Object.keys(body).some((key) => !["guess_cents", "game", "session_id"].includes(key))) return false;
  const { guess_cents: cents, game = null, session_id: session = null } = body;
  const isGuess = Number.isInteger(cents) && cents >= 1 && cents <= 100_000_000;
  const isGame = game === null || known.goingOn.includes(game);
  const isSession = session === null || (/^[A-Za-z0-9_-]{16,64}$/.test(session) && (game === null || session === known.session));
  return isGuess && isGame && isSession;
}

/** Only the one game whose result stands is over and known here. */
function isSoundReport(request, known) {
  const body = members(request);
  return body !== undefined && Object.keys(body).join() === "game" && body.game === known.recorded;
}

function isSoundForm(request, known) {
  if (typeOf(request) !== "application/x-www-form-urlencoded" || sentBody(request).length > 4_096) return false;
  const fields = new URLSearchParams(sentBody(request).toString("latin1"));
  const first = (name) => fields.getAll(name).find((value) => value.trim() !== "");
  const [game, guess] = [first("game"), first("guess")];
  if (guess !== undefined && !/\d/.test(guess)) return false;
  return game === undefined || known.goingOn.includes(game) || (game === known.recorded && guess === undefined);
}

/** An API refuses with problem details, unless it has not got the request. */
function isProblemWanted(request, { status, headers }, known) {
  const isFromApp = headers.some(([name]) => name === "content-security-policy");
  if (!isFromApp && isNoHttp(request, status)) return false;
  return [API, ADMIN].some((api) => api.test(pathOf(request, known)));
}

/** Whether a request is none to the server of HTTP in front of the site. */
function isNoHttp({ framing, target, headers }, status) {
  return [400, 404, 414, 431].includes(status) && (framing !== undefined || /[^!-~]/.test(target) || target.length > 8_000 || !headers.some(([name]) => name === "host"));
}

function notAProblem(request, answer) {
  const type = answer.header("content-type");
  if (type !== PROBLEM) return `a refusal of an API as ${type}`;
  if (request.method === "HEAD") return undefined;
  const problem = JSON.parse(answer.body);
  const isWhole = ["type", "title", "detail"].every((member) => typeof problem[member] === "string" && problem[member] !== "");
  return isWhole && problem.status === answer.status ? undefined : "a problem without type, title, status or detail";
}
