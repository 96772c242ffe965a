// Names of the charts: what each finds, not what it plots.
import type { PartFact } from './facts.ts';
import { delayBound, type Delays } from './samples.ts';
import { duration, number } from './words.ts';

/** Newer and older live counts differ by less than this share: steady. */
const STEADY = 0.02;
/** Spans are said in whole ones: a name would change with each sample. */
const MINUTE_MS = 60_000;

export function liveFinding(live: readonly number[]): string {
  const [first, last] = [live[0], live.at(-1)];
  if (first === undefined || last === undefined) return 'Nothing has been seen yet';
  const change = last - first;
  if (Math.abs(change) <= STEADY * Math.max(first, last)) return `${number(last)} are live, steadily`;
  return `${number(last)} are live, ${number(Math.abs(change))} ${change > 0 ? 'more' : 'fewer'} than at first`;
}

export function reasonFinding(reasons: readonly (readonly [reason: string, count: number])[]): string {
  const [first] = reasons;
  if (first === undefined) return 'None has ended yet';
  const all = reasons.reduce((sum, [, count]) => sum + count, 0);
  return `${Math.round((100 * first[1]) / all)} % of ${number(all)} ended by ${first[0]}`;
}

export function delayFinding({ bins, overMs }: Delays): string {
  const bound = delayBound(bins, 0.99);
  if (bound === undefined) return 'No close has been timed yet';
  const when =
    overMs === undefined ? 'since the start' : `in the last ${duration(Math.ceil(overMs / MINUTE_MS) * MINUTE_MS)}`;
  return bound === Infinity
    ? `Some closes ${when} took longer than any bound`
    : `99 of 100 closes ${when} were seen within ${duration(bound)}`;
}

/** `parts`: all of a pipeline. */
export function mapFinding(parts: readonly (PartFact | undefined)[]): string {
  const states = new Map<string, number>();
  for (const part of parts) {
    const state = part?.owner === null ? 'without an owner' : wordOf(part);
    if (state !== undefined) states.set(state, (states.get(state) ?? 0) + 1);
  }
  if (states.size === 0)
    return parts.length === 1 ? 'The only partition runs' : `All ${number(parts.length)} partitions run`;
  const said = [...states].map(([state, count]) => `${number(count)} ${count === 1 ? 'is' : 'are'} ${state}`);
  return `Of ${number(parts.length)} partitions ${said.join(', ')}`;
}

/** undefined: it runs, as far as is known. */
function wordOf(part: PartFact | undefined): string | undefined {
  if (part === undefined) return 'unknown';
  return part.role !== 'owner' || part.state === 'running' ? undefined : part.state;
}
