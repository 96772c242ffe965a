// What a measurement of lateness says. Pure.
import type { DurationMs } from '@flatline/base';
import { PROBE_EVERY_MS, PROBE_TIMEOUT_MS } from '../failover/failover-scenario.ts';
import { LOOP_DELAY_NOTE, type LoopDelay, loopDelayText, loopDelayVerdict, worstDelay } from '../loop-delay.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf, spreadOfKnown } from '../statistics.ts';
import { short, spreadText, textTable } from '../text-table.ts';
import { BUSY_SHARE, COMMIT_INTERVAL_MS, ENDING_PER_SECOND, type LatencyTurn, type Load } from './latency-scenario.ts';

/** All turns of one contender under one load. */
export interface LatencyFigures {
  readonly contender: string;
  readonly load: Load;
  readonly eventsPerSecond: Spread;
  /** Sum over all turns. */
  readonly closes: number;
  readonly missing: number;
  /** Infinity of a turn in which none was seen. */
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  /** The latest of all turns. */
  readonly maxMs: DurationMs;
  /** The worst turn. */
  readonly loopDelay: LoopDelay | undefined;
  readonly brokerMsPerSecond: Spread | undefined;
}

/** What the project promises: a p99 of at most so much of the best peer's, and under load so much beside the commits. */
const SHARE_OF_PEER_MAX = 0.25;
const BESIDE_COMMITS_MAX_MS: DurationMs = 100;

const NOTE =
  `Sessions that beat once and end after ${PROBE_TIMEOUT_MS} ms of silence. idle: nothing else, about one in 60 ms, now here, now there;\n` +
  `busy: one per partition each ${PROBE_EVERY_MS} ms, beside live sessions that send ${100 * BUSY_SHARE} % of what the contender has just been\n` +
  'measured to get through, from the same machine;\n' +
  `ending: ${short(ENDING_PER_SECOND)} in a second, while each core has another process that never rests.\n` +
  'A close is seen by a read_committed reader of the output, or as said below.\n' +
  'missing: sessions that ended and were not seen closed; they are in no percentile. p50, p99: medians over turns, least to most in\n' +
  "brackets; broker: CPU time of its processes per second, beside the contender's own.";

/** In the order in which they first took their turn. */
export function latencyFigures(turns: readonly LatencyTurn[]): readonly LatencyFigures[] {
  return [...Map.groupBy(turns, ({ contender, load }) => `${contender} ${load}`).values()].map((each) => {
    const spread = (of: (turn: LatencyTurn) => number): Spread => spreadOf(each.map(of));
    const late = (ms: DurationMs): DurationMs => (Number.isNaN(ms) ? Infinity : ms);
    const sum = (of: (turn: LatencyTurn) => number): number => each.reduce((all, turn) => all + of(turn), 0);
    const delays = each.flatMap(({ loopDelay }) => loopDelay ?? []);
    return {
      contender: each[0]!.contender,
      load: each[0]!.load,
      eventsPerSecond: spread(({ eventsPerSecond }) => eventsPerSecond),
      closes: sum(({ closes }) => closes),
      missing: sum(({ missing }) => missing),
      p50Ms: spread(({ p50Ms }) => late(p50Ms)),
      p99Ms: spread(({ p99Ms }) => late(p99Ms)),
      maxMs: Math.max(...each.map(({ maxMs }) => late(maxMs))),
      loopDelay: delays.length === 0 ? undefined : worstDelay(delays),
      brokerMsPerSecond: spreadOfKnown(each.map(({ brokerMsPerSecond }) => brokerMsPerSecond)),
    };
  });
}

export function latencyText(figures: readonly LatencyFigures[]): string {
  const rows = figures.map((row) => [
    row.contender,
    row.load,
    row.load === 'idle' ? '–' : short(row.eventsPerSecond.median),
    String(row.closes),
    String(row.missing),
    ms(row.p50Ms),
    ms(row.p99Ms),
    Number.isFinite(row.maxMs) ? short(row.maxMs) : '–',
    row.brokerMsPerSecond === undefined ? 'n/a' : short(row.brokerMsPerSecond.median),
    loopDelayText(row.loopDelay),
  ]);
  const head = ['contender', 'load', 'events/s', 'closes', 'missing', 'p50 ms', 'p99 ms', 'max ms', 'broker ms/s'];
  return [textTable([[...head, 'loop ms'], ...rows]), '', NOTE, LOOP_DELAY_NOTE, ...goals(figures)].join('\n');
}

function ms(spread: Spread): string {
  if (!Number.isFinite(spread.median)) return '–';
  return Number.isFinite(spread.max) ? spreadText(spread) : `${short(spread.median)} (${short(spread.min)} – never)`;
}

function goals(figures: readonly LatencyFigures[]): readonly string[] {
  const own = figures.filter((row) => isOurs(row) && row.load !== 'ending');
  const delays = own.flatMap(({ loopDelay }) => loopDelay ?? []);
  return [
    ...own.map((row) => p99Goal(row, figures)),
    ...(delays.length === 0 ? [] : [loopDelayVerdict(worstDelay(delays))]),
  ];
}

/** A contender that closed less than half of what ended has no percentile to compare with. */
function p99Goal({ contender, load, p99Ms }: LatencyFigures, figures: readonly LatencyFigures[]): string {
  const peers = figures.filter((row) => row.load === load && !isOurs(row) && row.closes > row.missing);
  const [best] = peers.toSorted((a, b) => a.p99Ms.median - b.p99Ms.median);
  const verdict = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');
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

export function latencyCharts(figures: readonly LatencyFigures[]): readonly BarChart[] {
  return (['idle', 'busy', 'ending'] as const).map((load) => ({
    name: load,
    title: `${load}: ms from deadline to seen, median and up to p99; less is better`,
    bars: figures
      // Without a close in time there is no lateness to draw.
      .filter((row) => row.load === load && Number.isFinite(row.p99Ms.median))
      .map((row) => ({
        label: row.contender,
        ours: isOurs(row),
        median: row.p50Ms.median,
        min: row.p50Ms.median,
        max: row.p99Ms.median,
      })),
  }));
}

function isOurs({ contender }: LatencyFigures): boolean {
  return contender.startsWith('flatline');
}
