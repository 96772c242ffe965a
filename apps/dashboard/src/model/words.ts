// Figures as a person reads them.
const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;
const DAY = 24 * H;

export function number(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** By the second. */
export function rate(value: number | undefined): string {
  if (value === undefined) return '–';
  return value < 10 ? value.toFixed(1) : number(value);
}

/** In milliseconds. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return '–';
  if (ms < S) return `${Math.round(ms)} ms`;
  if (ms < MIN) return `${Number((ms / S).toFixed(1))} s`;
  if (ms < H) return `${Number((ms / MIN).toFixed(1))} min`;
  return ms < 2 * DAY ? `${Number((ms / H).toFixed(1))} h` : `${Number((ms / DAY).toFixed(1))} d`;
}

/** An instant of the log, UTC; 0: there is none yet. */
export function instant(ms: number): string {
  return ms <= 0 ? '–' : new Date(ms).toISOString().slice(11, 23);
}

/** An instant with its day, UTC. */
export function moment(ms: number): string {
  return ms <= 0 ? '–' : new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
