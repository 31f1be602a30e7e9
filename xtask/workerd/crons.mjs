// Crons of the kinds that a site needs, fired by timers: the runtime fires none by itself
// on this machine.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The first instant after `after` that belongs to a cron such as `25 * * * *`, in UTC. */
export function next(cron, after) {
  const [, minute, hour] = cron.match(/^(\d+) (\d+|\*) \* \* \*$/) ?? [];
  if (minute === undefined) throw new Error(`${cron}: only crons such as "10 0 * * *" and "25 * * * *" are fired here`);
  const [step, offset] = hour === "*" ? [HOUR, minute * MINUTE] : [DAY, hour * HOUR + minute * MINUTE];
  return Math.floor((after - offset) / step + 1) * step + offset;
}

/** Calls `fire` with each cron whenever its time has come, until the returned function is called. */
export function onTime(crons, fire) {
  const timers = new Map();
  const wait = (cron, after) => {
    const at = next(cron, after);
    const act = () => {
      // By the time it was meant for: a timer may be early by a millisecond, or late by a night.
      wait(cron, Math.max(at, Date.now()));
      fire(cron);
    };
    timers.set(cron, setTimeout(act, at - Date.now()));
  };
  for (const cron of crons) wait(cron, Date.now());
  return () => timers.forEach((timer) => clearTimeout(timer));
}
