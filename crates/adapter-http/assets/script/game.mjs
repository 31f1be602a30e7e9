// The game without loading the page anew. The form is sent as it would be without this, and
// the game is cut out of the page that comes back: what is said is written there, once.
//
// Kept in the browser are the token of the game, so that it is still there after a reload and
// in another tab, and how the games went.

const NAME = "fencepost";
const GAMES = `${NAME}.games`;
const tokenOf = (puzzle) => `${NAME}.game.${puzzle}`;
const sessionOf = (puzzle) => `${NAME}.session.${puzzle}`;

const gamesPlayed = () => gamesIn(kept(GAMES, []));
const tokenKept = (puzzle) => kept(tokenOf(puzzle), {}).token;

const heard = globalThis.document?.querySelector("#heard");
const part = () => document.querySelector("#game");

function say(text) {
  heard.textContent = "";
  // A screen reader hears a change, and not the same words again.
  requestAnimationFrame(() => (heard.textContent = text));
}

/** The name under which this browser plays a puzzle: another one for each. */
function session({ puzzle, date }) {
  const known = kept(sessionOf(puzzle), {}).id;
  if (known) return known;
  const id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  keep(sessionOf(puzzle), { id, date });
  return id;
}

/** Lets go of what was kept of puzzles that are long over. */
function forget(today) {
  const old = ({ date }) => !(Date.parse(date) > Date.parse(today) - 7 * DAY);
  const names = keptNames().filter((name) => /^fencepost\.(game|session)\./.test(name));
  for (const name of names) if (old(kept(name, {}))) keep(name, undefined);
}

/** Sends fields to the form's address, and puts what comes back in the place of the game. A look sends no guess. */
async function send(fields, isLook = false) {
  const { puzzle } = part().dataset;
  let [answer, text] = [];
  try {
    answer = await fetch(`/play/${puzzle}`, { method: "POST", body: new URLSearchParams(fields) });
    text = await answer.text();
  } catch {
    return complain("That did not get through. Is there a connection? Please try again.");
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  const game = page.querySelector("#game");
  if (game) return show(document.adoptNode(game), isLook);
  const notice = page.querySelector("main");
  if (answer.status < 500 && answer.status !== 429 && notice) {
    // The game is over for everybody, or gone.
    document.title = page.title;
    document.querySelector("main").replaceChildren(...document.adoptNode(notice).childNodes);
    return document.querySelector("main").focus();
  }
  return complain(page.querySelector(".lead")?.textContent ?? "That went wrong. Please try again.");
}

/** Says what is wrong where one looks, and leaves the form as it is. */
function complain(text) {
  const form = part().querySelector("form");
  let note = part().querySelector("#note");
  if (!note) {
    note = Object.assign(document.createElement("p"), { id: "note", className: "note" });
    if (form) form.before(note);
    else part().append(note);
    form?.querySelector("#guess")?.setAttribute("aria-describedby", note.id);
  }
  note.textContent = text;
  say(text);
}

function show(game, isLook) {
  // Where the focus goes is decided by whoever sent a form, and not by every page that comes.
  game.querySelector("[autofocus]")?.removeAttribute("autofocus");
  const hadFocus = part().contains(document.activeElement);
  const [before, next] = [part().querySelector("#guess"), game.querySelector("#guess")];
  part().replaceWith(game);
  if (hadFocus) goToNext();
  // Whoever has begun to type while the game was looked for goes on typing.
  if (isLook && before && next) next.value = before.value;
  hold();
  take();
}

/** Keeps the game that stands on the page, and how it went if it is over. */
function hold() {
  const { puzzle, date, game: token, outcome, used } = part().dataset;
  keep(tokenOf(puzzle), token && { token, date });
  if (outcome) keep(GAMES, withGame(gamesPlayed(), date, Number(used), outcome === "won"));
}

/** Makes the game on the page work. */
function take() {
  const game = part();
  showRecord(game.dataset.date);
  offerToShare(game, say);
  game.querySelector("form")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    const [button, fields] = [form.querySelector("button"), new FormData(form)];
    const { puzzle } = game.dataset;
    // The game that was begun here could not be shown at first, and is gone on with all the same.
    if (!fields.get("game") && tokenKept(puzzle)) fields.set("game", tokenKept(puzzle));
    if (!fields.get("game")) fields.set("session_id", session(game.dataset));
    button.disabled = true;
    await send(fields);
    button.disabled = false;
    const said = part()?.querySelector("#note") ?? part()?.querySelector("#said");
    if (said) say(said.textContent);
    goToNext();
  });
}

/** To the next guess, or to what is said at the end. */
function goToNext() {
  const next = part()?.querySelector("#guess") ?? part()?.querySelector("#said");
  next?.focus();
  next?.select?.();
}

function showRecord(date) {
  const games = gamesPlayed();
  const box = document.querySelector("#record");
  box.hidden = games.length === 0;
  for (const [name, number] of Object.entries(record(games, date))) {
    box.querySelector(`[data-record="${name}"]`).textContent = number;
  }
}

/** Goes on with the game that was begun here, before a reload or in another tab. */
async function goOn() {
  const { puzzle, game } = part().dataset;
  const token = tokenKept(puzzle);
  if (!token || token === game) return;
  const button = part().querySelector("form button");
  if (button) button.disabled = true;
  await send({ game: token }, true);
  if (button) button.disabled = false;
}

if (heard && part()) {
  const { date, game: token } = part().dataset;
  forget(date);
  if (token) hold();
  take();
  if (!token) goOn();
  addEventListener("storage", ({ key }) => {
    if (part() && key === tokenOf(part().dataset.puzzle)) goOn();
  });
}
