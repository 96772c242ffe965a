// What a measurement of lateness says. Pure.
import type { DurationMs } from '@flatline/base';
import { PROBE_EVERY_MS, PROBE_TIMEOUT_MS } from '../failover/failover-scenario.ts';
import { LOOP_DELAY_NOTE, loopDelayText, loopDelayVerdict, worstDelay } from '../loop-delay.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { short, textTable } from '../text-table.ts';
import { BUSY_SHARE, COMMIT_INTERVAL_MS, type LatencyFigures } from './latency-scenario.ts';

/** What the project promises: a p99 of at most so much of the best peer's, and under load so much beside the commits. */
const SHARE_OF_PEER_MAX = 0.25;
const BESIDE_COMMITS_MAX_MS: DurationMs = 100;

const NOTE =
  `Sessions that beat once and end after ${PROBE_TIMEOUT_MS} ms of silence. idle: nothing else, about one in 60 ms, now here, now there;\n` +
  `busy: one per partition each ${PROBE_EVERY_MS} ms, beside live sessions that send ${100 * BUSY_SHARE} % of what the contender has just been\n` +
  'measured to get through, from the same machine. A close is seen by a read_committed reader of the output, or as said below.\n' +
  'missing: sessions that ended and were not seen closed; they are in no percentile.';

export function latencyText(figures: readonly LatencyFigures[]): string {
  const rows = figures.map((row) => [
    ...[row.contender, row.load, row.load === 'idle' ? '–' : short(row.eventsPerSecond)],
    ...[String(row.closes), String(row.missing)],
    ...[row.p50Ms, row.p99Ms, row.maxMs].map((ms) => (row.closes === 0 ? '–' : short(ms))),
    loopDelayText(row.loopDelay),
  ]);
  const head = ['contender', 'load', 'events/s', 'closes', 'missing', 'p50 ms', 'p99 ms', 'max ms', 'loop ms'];
  return [textTable([head, ...rows]), '', NOTE, LOOP_DELAY_NOTE, ...goals(figures)].join('\n');
}

function goals(figures: readonly LatencyFigures[]): readonly string[] {
  const own = figures.filter(isOurs);
  const delays = own.flatMap(({ loopDelay }) => loopDelay ?? []);
  return [
    ...own.map((row) => p99Goal(row, figures)),
    ...(delays.length === 0 ? [] : [loopDelayVerdict(worstDelay(delays))]),
  ];
}

/** Who closed less than half of what ended has no percentile to compare with. */
function p99Goal({ contender, load, p99Ms }: LatencyFigures, figures: readonly LatencyFigures[]): string {
  const peers = figures.filter((row) => row.load === load && !isOurs(row) && row.closes > row.missing);
  const [best] = peers.toSorted((a, b) => a.p99Ms - b.p99Ms);
  const verdict = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');
  const share = best === undefined ? NaN : p99Ms / best.p99Ms;
  const limitMs = COMMIT_INTERVAL_MS + BESIDE_COMMITS_MAX_MS;
  return [
    `${contender}, ${load}: p99 `,
    best === undefined
      ? 'without a peer to compare with'
      : `${share.toFixed(2)} of ${best.contender}'s (at most ${SHARE_OF_PEER_MAX}: ${verdict(share <= SHARE_OF_PEER_MAX)})`,
    load === 'idle' ? '' : `, at most ${limitMs} ms: ${verdict(p99Ms <= limitMs)}`,
  ].join('');
}

export function latencyCharts(figures: readonly LatencyFigures[]): readonly BarChart[] {
  return (['idle', 'busy'] as const).map((load) => ({
    ...{ name: load, title: `${load}: ms from deadline to seen, median and up to p99; less is better` },
    bars: figures
      // Who closed nothing in time has no lateness to draw.
      .filter((row) => row.load === load && row.closes > 0)
      .map((row) => ({ label: row.contender, median: row.p50Ms, min: row.p50Ms, max: row.p99Ms, ours: isOurs(row) })),
  }));
}

function isOurs({ contender }: LatencyFigures): boolean {
  return contender.startsWith('flatline');
}
