// What strangers send as a body: nearly right, quite wrong, far too much.

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Values that are nobody's guess, and some that are: none is near to the price. */
const NUMBERS = [
  "1", "2", "5", "99", "100000000", "0", "-1", "-0", "1.5", "1e3", "1e400", "-1e400", "1.0", "NaN", "Infinity", "0x10", "007", "+5",
  "100000001", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551616", "9".repeat(400),
];
const OTHERS = [
  "null", "true", "false", "[]", "{}", "[[1]]", '{"cents":1}', '""', '"1"', '"x"', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"',
  '"\\x41"', '"\n"', "'1'", "undefined", "", '"\u00ff\u00fe"',
];
const KEYS = ["guess_cents", "game", "session_id", "price_cents", "puzzle_id", "outcome", "", "__proto__", "Guess_cents", "guess_cents\\u0000"];
const SESSIONS = [
  "a-session-of-a-stranger", "short", "x".repeat(64), "x".repeat(65), "with a blank in it", "<script>alert(1)</script>", "ümläut-ümläut-ümläut",
  "../../../../etc/passwd", "' OR 1=1 --",
];
const TYPED = [
  "0.01", "1", "2,00", "$3", "4 USD", "1.899", "eighteen", "-5", "1e9", "0", "1000000.01", "9".repeat(300), "%", "%zz", "%00", "%ff%fe",
  "\u00ff", "<b>1</b>", '"><script>', "\u00d9\u00a3", " ", "",
];
const CONTENT_TYPES = [
  JSON_TYPE, FORM_TYPE, "application/json; charset=utf-8", "Application/JSON", "application/json;charset=\"", "text/plain", "text/json",
  "multipart/form-data; boundary=x", "multipart/form-data", "application/problem+json", "", ";", "\u00ff", "application/json, text/plain",
];

/** The content type and body of a request; the usual kind of body for a route comes most often. */
export function body(dice, route, known) {
  const usual = route === "play" ? [form, FORM_TYPE] : [json, JSON_TYPE];
  const other = route === "play" ? [json, JSON_TYPE] : [form, FORM_TYPE];
  const [make, type] = dice.once(12) ? other : usual;
  let text = dice.once(40) ? dice.bytes(dice.below(200)) : make(dice, known);
  if (dice.once(8)) text = mutated(dice, text);
  if (dice.once(60)) text += " ".repeat(4_096 - text.length + dice.below(3) - 1);
  if (dice.once(120)) text = `{"game":"${"x".repeat(4_096 + dice.below(60_000))}"}`;
  return { type: dice.once(12) ? dice.one(CONTENT_TYPES) : type, text };
}

function json(dice, known) {
  if (dice.once(30)) return "[".repeat(1 + dice.below(2_000));
  if (dice.once(30)) return `${'{"a":'.repeat(1 + dice.below(400))}1`;
  if (dice.once(20)) return dice.one([...OTHERS, ...NUMBERS]);
  const game = () => quoted(token(dice, known));
  const members = dice.one([
    () => [["guess_cents", dice.one(NUMBERS)]],
    () => [["guess_cents", dice.one(["1", "2", "5"])], ["game", quoted(dice.one(known.goingOn))]],
    () => [["guess_cents", "1"], ["game", game()]],
    () => [["guess_cents", dice.one(NUMBERS)], ["game", game()]],
    () => [["guess_cents", "1"], ["session_id", quoted(dice.one(SESSIONS))]],
    () => [["guess_cents", "1"], ["game", game()], ["session_id", quoted(dice.one([...SESSIONS, known.session]))]],
    () => [["game", game()]],
    () => [["game", quoted(dice.one([known.recorded, ...known.goingOn]))]],
    () => [[dice.one(KEYS), dice.one([...OTHERS, ...NUMBERS])]],
    () => [],
  ]);
  if (dice.once(6)) members.push([dice.one(KEYS), dice.one([...OTHERS, ...NUMBERS])]);
  if (dice.once(12) && members.length > 0) members.push(members[dice.below(members.length)]);
  const text = `{${members.map(([key, value]) => `"${key}":${value}`).join(dice.once(40) ? ";" : ",")}}`;
  return (dice.once(30) ? "\u00ef\u00bb\u00bf" : "") + text + (dice.once(40) ? "{}" : "");
}

const quoted = (text) => JSON.stringify(text);

function form(dice, known) {
  const pairs = [];
  if (!dice.once(8)) pairs.push(["guess", dice.one(TYPED)]);
  if (dice.once(2)) pairs.push(["game", token(dice, known)]);
  if (dice.once(3)) pairs.push(["session_id", dice.one(SESSIONS)]);
  if (dice.once(8)) pairs.push([dice.one(["guess", "game", "price", "", "x"]), dice.one(TYPED)]);
  const encode = dice.once(4) ? (text) => text : encoded;
  return pairs.map(([name, value]) => `${name}=${encode(value)}`).join(dice.once(30) ? ";" : "&");
}

const encoded = (text) => text.replace(/[^A-Za-z0-9._-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);

/** A token: one that was made for this or for something else, or one that was changed. */
export function token(dice, known) {
  const one = dice.one(known.tokens);
  return dice.one([
    one,
    one,
    one,
    one,
    one,
    () => one.slice(0, dice.below(one.length + 1)),
    () => flipped(dice, one),
    () => one.replace(/h/, dice.one(["H", "l", "L", "c", ""])),
    () => one.replace(/^\d+/, dice.one(known.ids)),
    () => one.toUpperCase(),
    () => `${one}${dice.one([".", " ", "0", "\u0000"])}`,
    () => dice.one(known.tokens).split(".").slice(0, 3).concat(one.split(".").slice(3)).join("."),
    () => dice.one(["", ".", "...", "0".repeat(212), "1119.1h.x", dice.bytes(64)]),
  ]);
}

/** A text with one bit of it turned over. */
function flipped(dice, text) {
  const at = dice.below(text.length);
  const turned = String.fromCharCode((text.charCodeAt(at) ^ (1 << dice.below(8))) & 0xff);
  return text.slice(0, at) + turned + text.slice(at + 1);
}

/** A text with a few bytes of it changed, left out or doubled. */
export function mutated(dice, text) {
  let changed = text;
  for (let left = 1 + dice.below(3); left > 0; left -= 1) {
    const [at, length] = [dice.below(changed.length + 1), dice.below(5)];
    changed = dice.one([
      () => changed.slice(0, at) + dice.bytes(length) + changed.slice(at + length),
      () => changed.slice(0, at) + changed.slice(at + length),
      () => changed.slice(0, at + length) + changed.slice(at),
      () => changed.slice(0, at),
    ]);
  }
  return changed;
}
