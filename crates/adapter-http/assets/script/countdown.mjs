// How long it is until the next puzzle. The clock is the browser's: it is right to within
// what matters to somebody who waits, and nothing is decided by it.

/** A length of time, as one counts down: in minutes, and in the last hour in seconds too. */
export function spelled(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours} h ${two(minutes)} min` : `${minutes}:${two(seconds % 60)}`;
}

/** What is waited for at `now`, and how long; `undefined` if it is none of both instants. */
export function awaited(now, next, end) {
  if (now < next) return { what: "The next puzzle comes in", ms: next - now };
  if (now < end) return { what: "This one ends in", ms: end - now };
  return undefined;
}

function countDown(row) {
  const [next, end] = [row.dataset.next, row.dataset.end].map((instant) => Date.parse(instant));
  const [what, howLong] = row.children;
  const tick = () => {
    const wait = awaited(Date.now(), next, end);
    row.hidden = wait === undefined;
    if (wait === undefined) return;
    what.textContent = wait.what;
    howLong.textContent = spelled(wait.ms);
    setTimeout(tick, wait.ms % 1_000 || 1_000);
  };
  tick();
}

if (globalThis.document?.querySelector("#countdown")) countDown(document.querySelector("#countdown"));
