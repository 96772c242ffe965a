// The page of a measurement of an eviction. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import type { Quantiles } from '../statistics.ts';
import { medianText, secondsText } from '../text-table.ts';

/** One turn. */
export interface EvictTurn {
  readonly contender: string;
  /** Seen evicted, each counted once; seen twice; and how many should have been. */
  readonly evicted: number;
  readonly twice: number;
  readonly lost: number;
  /** From the request until a read_committed reader has seen the last of them. */
  readonly allMs: DurationMs;
  /** From the request until its answer: the act is in the log. */
  readonly answerMs: DurationMs;
  /** How late other sessions' closes were seen, before the request and from it until all were evicted. */
  readonly before: Quantiles;
  readonly meanwhile: Quantiles;
  readonly cpuMs: DurationMs;
}

/** The project's goals. */
const ALL_MAX_MS: DurationMs = 5_000;
const LATER_MAX_MS: DurationMs = 50;

const { spread, spreads, sums } = combine<EvictTurn>();
const FIGURES = {
  ...spreads('evicted', 'lost', 'allMs', 'answerMs', 'cpuMs'),
  ...sums('twice'),
  beforeP99Ms: spread(({ before }) => before.p99Ms),
  meanwhileP99Ms: spread(({ meanwhile }) => meanwhile.p99Ms),
  laterMs: spread(({ before, meanwhile }) => meanwhile.p99Ms - before.p99Ms),
};
type EvictRow = Row<EvictTurn, 'contender', typeof FIGURES>;

export function evictRows(turns: readonly EvictTurn[]): readonly EvictRow[] {
  return rowsOf(turns, ['contender'], FIGURES);
}

export const EVICT_PAGE: Page<EvictRow> = {
  columns: [
    ['contender', ({ contender }) => contender],
    ['evicted', ({ evicted }) => medianText(evicted)],
    ['in s', ({ allMs }) => secondsText(allMs)],
    ['act in the log ms', ({ answerMs }) => medianText(answerMs)],
    ['CPU-s', ({ cpuMs }) => secondsText(cpuMs)],
    ['others p99 before ms', ({ beforeP99Ms }) => medianText(beforeP99Ms)],
    ['meanwhile ms', ({ meanwhileP99Ms }) => medianText(meanwhileP99Ms)],
  ],
  note: [
    'in: from the request until a read_committed reader has seen the last summary. others: closes of sessions that fall silent all the',
    'while, seen so long after their deadline; meanwhile: those seen from the request until all were evicted.',
  ].join('\n'),
  verdicts: (rows) => rows.flatMap(goals),
  charts: (rows) => [
    chart(rows, {
      name: 'evicted',
      title: 'all of a lost gateway ended, ms; less is better',
      label: ({ contender }) => contender,
      bar: ({ allMs }) => allMs,
    }),
  ],
};

function goals({ evicted, lost, twice, allMs, laterMs }: EvictRow): readonly string[] {
  const isWhole = evicted.min === lost.max && evicted.max === lost.max;
  return [
    `all ended within ${ALL_MAX_MS} ms: ${verdict(isWhole && allMs.max <= ALL_MAX_MS)}`,
    `others' p99 at most ${LATER_MAX_MS} ms later: ${medianText(laterMs)} ms: ${verdict(laterMs.median <= LATER_MAX_MS)}`,
    ...(isWhole ? [] : [`of ${medianText(lost)} lost users ${medianText(evicted)} were evicted`]),
    ...(twice === 0 ? [] : [`${twice} were evicted twice`]),
  ];
}
