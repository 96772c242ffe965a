// The page of a measurement of a hot key. Pure.
import type { DurationMs, Millis } from '@flatline/base';
import { chart, combine, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { type LoopDelay, loopDelayText } from '../loop-delay.ts';
import type { MemoryParts } from '../process-stat.ts';
import { type Quantiles, quantilesOf, spreadOf } from '../statistics.ts';
import { megabytes, medianText, short, spreadText } from '../text-table.ts';

interface Lateness extends Quantiles {
  /** Batches of neighbours that fired while it was measured. */
  readonly batches: number;
}

export interface HotKeyTurn extends Lateness {
  readonly load: string;
  readonly does: string;
  /** Rate of the hot key. */
  readonly itemsPerSecond: number;
  /** Neighbours whose batch did not come. */
  readonly missing: number;
  readonly loopDelay: LoopDelay | undefined;
}

export interface ThroughputTurn {
  readonly items: number;
  readonly elapsedMs: DurationMs;
  readonly cpuMs: DurationMs;
  /** The same input read without any further work. */
  readonly rawItems: number;
  readonly rawElapsedMs: DurationMs;
  readonly rawCpuMs: DurationMs;
}

export interface PendingMemory {
  readonly items: number;
  readonly windows: number;
  readonly halfItems: number;
  /** Memory of the whole process, with half of the items, and with all. */
  readonly half: MemoryParts;
  readonly all: MemoryParts;
  /** Value of one item. */
  readonly valueBytes: number;
}

/** Goal: how much a hot key may add to the 99th percentile of its neighbours' delays. */
const HELD_UP_MAX_MS = 50;

/** Quantiles by nearest rank, NaN without any. */
export function lateOf(
  batches: readonly { readonly firedAt: Millis; readonly lateMs: DurationMs }[],
  from: Millis,
  to: Millis,
): Lateness {
  const late = batches.filter(({ firedAt }) => firedAt >= from && firedAt < to).map(({ lateMs }) => lateMs);
  return { batches: late.length, ...quantilesOf(late) };
}

const { spreads, sums, worst } = combine<HotKeyTurn>();
const FIGURES = {
  ...spreads('itemsPerSecond', 'p50Ms', 'p99Ms', 'maxMs'),
  ...sums('batches', 'missing'),
  loopDelay: worst(({ loopDelay }) => loopDelay),
};
type HotKeyRow = Row<HotKeyTurn, 'load' | 'does', typeof FIGURES>;

export function hotKeyRows(turns: readonly HotKeyTurn[]): readonly HotKeyRow[] {
  return rowsOf(turns, ['load', 'does'], FIGURES);
}

export function hotKeyPage(throughput: readonly ThroughputTurn[], pending: PendingMemory): Page<HotKeyRow> {
  return {
    columns: [
      ['load', ({ load }) => load],
      ['items/s', ({ itemsPerSecond }) => medianText(itemsPerSecond)],
      ['batches', ({ batches }) => String(batches)],
      ['missing', ({ missing }) => String(missing)],
      ['p50 ms', ({ p50Ms }) => spreadText(p50Ms)],
      ['p99 ms', ({ p99Ms }) => spreadText(p99Ms)],
      ['max ms', ({ maxMs }) => spreadText(maxMs)],
      ['loop ms', ({ loopDelay }) => loopDelayText(loopDelay)],
    ],
    note: [
      "From when a neighbour's window is due until a read_committed reader sees its batch; medians of the turns, least to most in",
      'brackets. A window of 100 000 items comes in parts, one with each commit.',
    ].join('\n'),
    verdicts: (rows) => ['', ...heldUp(rows), ...throughputText(throughput), pendingText(pending)],
    charts: (rows) => [
      chart(rows, {
        name: 'neighbours',
        title: 'ms from due to seen, of the other keys: median and up to p99; less is better',
        label: ({ load }) => load,
        bar: ({ p50Ms, p99Ms }) => ({ median: p50Ms.median, min: p50Ms.median, max: p99Ms.median }),
      }),
    ],
  };
}

function heldUp([alone, ...hot]: readonly HotKeyRow[]): readonly string[] {
  return hot.map(({ load, p99Ms }) => {
    const byMs = p99Ms.median - alone!.p99Ms.median;
    return `${load}: p99 of the others ${short(Math.max(0, byMs))} ms later (at most ${HELD_UP_MAX_MS}: ${verdict(byMs <= HELD_UP_MAX_MS)})`;
  });
}

function throughputText(turns: readonly ThroughputTurn[]): readonly string[] {
  if (turns.length === 0) return [];
  const perSecond = spreadOf(turns.map(({ items, elapsedMs }) => (1_000 * items) / elapsedMs));
  const perCpuSecond = spreadOf(turns.map(({ items, cpuMs }) => (1_000 * items) / cpuMs));
  const raw = spreadOf(turns.map(({ rawItems, rawCpuMs }) => (1_000 * rawItems) / rawCpuMs));
  return [
    `a backlog of one key, in parts: ${spreadText(perSecond)} items/s, ${spreadText(perCpuSecond)} per CPU second; reading them and nothing else: ${spreadText(raw)}`,
  ];
}

function pendingText({ items, windows, halfItems, half, all, valueBytes }: PendingMemory): string {
  const each = (part: keyof MemoryParts): string => short((all[part] - half[part]) / (items - halfItems));
  const waiting = `${short(items)} items of ${valueBytes} bytes in ${short(windows)} windows wait in ${megabytes(all.rssBytes)} resident`;
  const ofWhich = `${each('anonymousBytes')} of anonymous memory and ${each('fileBytes')} of the local store's pages`;
  return `${waiting}; each more takes ${each('rssBytes')} bytes: ${ofWhich}, which the kernel may drop`;
}
