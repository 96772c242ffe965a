// Totals of all instances together, now and over the last minutes, and the rates between.
import type { DelayBin, FiguresFact } from './facts.ts';

export interface Sample {
  /** By the instance's clock; milliseconds. */
  readonly atMs: number;
  readonly live: number;
  readonly read: number;
  readonly ended: number;
  /** Since the instances started. */
  readonly delays: readonly DelayBin[];
  /** Number that report: a new one adds everything since it started. */
  readonly instances: number;
}

/** Delays of closes, and over how long. */
export interface Delays {
  readonly bins: readonly DelayBin[];
  /** undefined: since the instances started, as none has come since the page is open. */
  readonly overMs: number | undefined;
}

export interface Rates {
  /** By the second. */
  readonly recordsPerS: number;
  readonly closesPerS: number;
}

/** Two a second, for two minutes. */
export const SAMPLES_MAX = 240;
/** Rates are over so long: a shorter time would jump with every fetch. */
const RATE_OVER_MS = 5_000;

export function sampleOf(atMs: number, figures: readonly FiguresFact[]): Sample {
  return {
    atMs,
    live: sum(figures.map(({ live }) => live)),
    read: sum(figures.map(({ read }) => read)),
    ended: sum(figures.map(({ ended }) => ended)),
    delays: delaysOf(figures),
    instances: figures.length,
  };
}

/** Oldest first. One that is not after the last, or counts less, is of another connection: what was before says nothing of rates. */
export function withSample(samples: readonly Sample[], next: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last?.atMs === next.atMs) return [...samples.slice(0, -1), next];
  return [...samples.slice(1 - SAMPLES_MAX), next];
}

/** undefined: there is nothing to compare with yet. */
export function ratesOf(samples: readonly Sample[]): Rates | undefined {
  const last = samples.at(-1);
  if (last === undefined) return undefined;
  const first = samples.find(
    ({ atMs, read, ended }) => last.atMs - atMs <= RATE_OVER_MS && read <= last.read && ended <= last.ended,
  )!;
  const seconds = (last.atMs - first.atMs) / 1_000;
  if (seconds <= 0) return undefined;
  return { recordsPerS: (last.read - first.read) / seconds, closesPerS: (last.ended - first.ended) / seconds };
}

/** Most first. */
export function reasonsOf(figures: readonly FiguresFact[]): readonly (readonly [reason: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { reasons } of figures)
    for (const [reason, count] of Object.entries(reasons)) counts.set(reason, (counts.get(reason) ?? 0) + count);
  return [...counts].sort(([, a], [, b]) => b - a);
}

/** Rising; all instances have the same bounds. */
export function delaysOf(figures: readonly FiguresFact[]): readonly DelayBin[] {
  const counts = new Map<number, number>();
  for (const { delays } of figures)
    for (const [upToMs, count] of delays) counts.set(upToMs ?? Infinity, (counts.get(upToMs ?? Infinity) ?? 0) + count);
  const rising = [...counts].sort(([a], [b]) => a - b);
  return rising.map(([upToMs, count]) => [upToMs === Infinity ? null : upToMs, count]);
}

/**
 * Between the first sample and the last, so that what was late hours ago is not told of today. Samples that count more than the last
 * does are from before an instance, or the connection, began again.
 */
export function recentDelays(samples: readonly Sample[]): Delays {
  const last = samples.at(-1);
  if (last === undefined) return { bins: [], overMs: undefined };
  const first = samples.find(
    ({ delays, instances }) =>
      instances === last.instances && delays.every(([upToMs, count]) => count <= countOf(last.delays, upToMs)),
  )!;
  const bins = last.delays.map(([upToMs, count]) => [upToMs, count - countOf(first.delays, upToMs)] as const);
  return bins.some(([, count]) => count > 0)
    ? { bins, overMs: last.atMs - first.atMs }
    : { bins: last.delays, overMs: undefined };
}

function countOf(bins: readonly DelayBin[], bound: number | null): number {
  return bins.find(([upToMs]) => upToMs === bound)?.[1] ?? 0;
}

/** Least bound, in milliseconds, that this share of the delays keeps; Infinity: none does; undefined where there are none. */
export function delayBound(bins: readonly DelayBin[], share: number): number | undefined {
  const all = sum(bins.map(([, count]) => count));
  let sofar = 0;
  const found = all === 0 ? undefined : bins.find(([, count]) => (sofar += count) >= share * all);
  return found === undefined ? undefined : (found[0] ?? Infinity);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
