// What was measured: for each case, subject and unit one value per round.

const SEPARATOR = "\u0000";

/** The one in the middle; the mean of the two in the middle. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.floor(half)] + sorted[Math.ceil(half) - 1]) / 2;
}

export class Figures {
  #rounds = new Map();

  /** What one round came to. */
  add(of, subject, unit, value) {
    const key = [of, subject, unit].join(SEPARATOR);
    this.#rounds.set(key, [...(this.#rounds.get(key) ?? []), value]);
  }

  /** One object per figure: the median of the rounds, and their range. */
  rows() {
    return Array.from(this.#rounds, ([key, values]) => {
      const [of, subject, unit] = key.split(SEPARATOR);
      const [value, low, high] = [median(values), Math.min(...values), Math.max(...values)].map(rounded);
      return { case: of, subject, unit, value, low, high };
    });
  }

  /** A line per case and subject, a column per unit; of some units only. */
  table(units) {
    const lines = {};
    for (const { case: of, subject, unit, value, low, high } of this.rows().filter(({ unit }) => units.includes(unit))) {
      const line = subject === "worker" ? of : `${of} (${subject})`;
      lines[line] = { ...lines[line], [unit]: low === high ? value : `${value} (${low}-${high})` };
    }
    return lines;
  }
}

/** Three digits behind the point are more than any clock here is good for. */
const rounded = (value) => Math.round(value * 1_000) / 1_000;
