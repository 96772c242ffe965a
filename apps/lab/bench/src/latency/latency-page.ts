// The page of a measurement of lateness. Pure.
import type { DurationMs, Millis } from '@flatline/base';
import type { SeenClose } from '../close-watch.ts';
import { PROBE_EVERY_MS, PROBE_TIMEOUT_MS } from '../probes.ts';
import { chart, combine, loopVerdict, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { type LoopDelay, LOOP_DELAY_NOTE, loopDelayText } from '../loop-delay.ts';
import { type Quantiles, quantilesOf, type Spread } from '../statistics.ts';
import { ifKnown, medianText, short, spreadText } from '../text-table.ts';

export const LOADS = ['idle', 'busy', 'ending'] as const;
export type Load = (typeof LOADS)[number];

/** One turn: how late a read_committed reader of the output sees closes, counted from their deadlines. */
export interface LatencyTurn {
  readonly contender: string;
  readonly load: Load;
  /** The rate actually sent, beside the probes; where sessions end all the time, the planned one. */
  readonly eventsPerSecond: number;
  readonly closes: number;
  /** Sessions that ended without a close being seen. */
  readonly missing: number;
  /** NaN if none was seen. */
  readonly p50Ms: DurationMs;
  readonly p99Ms: DurationMs;
  readonly maxMs: DurationMs;
  /** Undefined if the contender does not run on Node. */
  readonly loopDelay: LoopDelay | undefined;
  /** CPU time of the broker's processes per second; undefined if it is not visible. */
  readonly brokerMsPerSecond: DurationMs | undefined;
}

/** Sessions that end per second where they end all the time, in all partitions together. */
export const ENDING_PER_SECOND = 2_000;
/** Default of Kafka Streams under exactly once, used unless its name says otherwise. */
export const COMMIT_INTERVAL_MS: DurationMs = 100;
/** Share of a contender's capacity at which it counts as busy. */
export const BUSY_SHARE = 0.3;
/** The project's goals: a p99 of at most this share of the best peer's, and under load this much beside the commits. */
const SHARE_OF_PEER_MAX = 0.25;
const BESIDE_COMMITS_MAX_MS: DurationMs = 100;

const NOTE =
  `Sessions that beat once and end after ${PROBE_TIMEOUT_MS} ms of silence. idle: nothing else, about one in 60 ms, now here, now there;\n` +
  `busy: one per partition each ${PROBE_EVERY_MS} ms, beside live sessions that send ${100 * BUSY_SHARE} % of what the contender has just been\n` +
  'measured to get through, from the same machine;\n' +
  `ending: ${short(ENDING_PER_SECOND)} in a second, while each core has another process that never rests.\n` +
  'A close is seen by a read_committed reader of the output, or as said below.\n' +
  'missing: sessions that ended and were not seen closed; they are in no percentile. p50, p99: medians over turns, least to most in\n' +
  "brackets; broker: CPU time of its processes per second, beside the contender's own.\n" +
  LOOP_DELAY_NOTE;

const { spread, spreads, knowns, sums, worst } = combine<LatencyTurn>();
const FIGURES = {
  ...spreads('eventsPerSecond'),
  ...sums('closes', 'missing'),
  /** Infinity for a turn in which none was seen. */
  p50Ms: spread(({ p50Ms }) => latest(p50Ms)),
  p99Ms: spread(({ p99Ms }) => latest(p99Ms)),
  maxMs: (turns: readonly LatencyTurn[]) => Math.max(...turns.map(({ maxMs }) => latest(maxMs))),
  loopDelay: worst(({ loopDelay }) => loopDelay),
  ...knowns('brokerMsPerSecond'),
};
type LatencyRow = Row<LatencyTurn, 'contender' | 'load', typeof FIGURES>;

export function latencyRows(turns: readonly LatencyTurn[]): readonly LatencyRow[] {
  return rowsOf(turns, ['contender', 'load'], FIGURES);
}

export const LATENCY_PAGE: Page<LatencyRow> = {
  columns: [
    ['contender', ({ contender }) => contender],
    ['load', ({ load }) => load],
    ['events/s', ({ load, eventsPerSecond }) => (load === 'idle' ? '–' : medianText(eventsPerSecond))],
    ['closes', ({ closes }) => String(closes)],
    ['missing', ({ missing }) => String(missing)],
    ['p50 ms', ({ p50Ms }) => lateText(p50Ms)],
    ['p99 ms', ({ p99Ms }) => lateText(p99Ms)],
    ['max ms', ({ maxMs }) => (Number.isFinite(maxMs) ? short(maxMs) : '–')],
    ['broker ms/s', ({ brokerMsPerSecond }) => ifKnown(brokerMsPerSecond, medianText)],
    ['loop ms', ({ loopDelay }) => loopDelayText(loopDelay)],
  ],
  note: NOTE,
  verdicts: (rows) => {
    const own = rows.filter((row) => isOurs(row) && row.load !== 'ending');
    return [...own.map((row) => p99Goal(row, rows)), ...loopVerdict(own.map(({ loopDelay }) => loopDelay))];
  },
  charts: (rows) =>
    LOADS.map((load) =>
      chart(
        // Without a close in time there is no lateness to draw.
        rows.filter((row) => row.load === load && Number.isFinite(row.p99Ms.median)),
        {
          name: load,
          title: `${load}: ms from deadline to seen, median and up to p99; less is better`,
          label: ({ contender }) => contender,
          isOurs,
          bar: ({ p50Ms, p99Ms }) => ({ median: p50Ms.median, min: p50Ms.median, max: p99Ms.median }),
        },
      ),
    ),
};

function latest(ms: DurationMs): DurationMs {
  return Number.isNaN(ms) ? Infinity : ms;
}

function lateText(late: Spread): string {
  if (!Number.isFinite(late.median)) return '–';
  return Number.isFinite(late.max) ? spreadText(late) : `${short(late.median)} (${short(late.min)} – never)`;
}

/** A contender that closed less than half of what ended has no percentile to compare with. */
function p99Goal({ contender, load, p99Ms }: LatencyRow, rows: readonly LatencyRow[]): string {
  const peers = rows.filter((row) => row.load === load && !isOurs(row) && row.closes > row.missing);
  const [best] = peers.toSorted((a, b) => a.p99Ms.median - b.p99Ms.median);
  const share = best === undefined ? NaN : p99Ms.median / best.p99Ms.median;
  const limitMs = COMMIT_INTERVAL_MS + BESIDE_COMMITS_MAX_MS;
  return [
    `${contender}, ${load}: p99 `,
    best === undefined
      ? 'without a peer to compare with'
      : `${share.toFixed(2)} of ${best.contender}'s (at most ${SHARE_OF_PEER_MAX}: ${verdict(share <= SHARE_OF_PEER_MAX)})`,
    load === 'idle' ? '' : `, at most ${limitMs} ms: ${verdict(p99Ms.median <= limitMs)}`,
  ].join('');
}

function isOurs({ contender }: LatencyRow): boolean {
  return contender.startsWith('flatline');
}

interface Lateness extends Quantiles {
  readonly closes: number;
}

/** Lateness of the probes whose deadlines lie in a span; quantiles by nearest rank, NaN without any. */
export function latenessOf(closes: readonly SeenClose[], from: Millis, to: Millis): Lateness {
  const late = closes
    .filter(({ sessionId, deadlineAt }) => isProbe(sessionId) && deadlineAt >= from && deadlineAt < to)
    .map(({ seenAt, deadlineAt }) => seenAt - deadlineAt);
  return { closes: late.length, ...quantilesOf(late) };
}

export function isProbe(sessionId: string): boolean {
  return sessionId.startsWith('probe-');
}
