// The page of a dispatcher through faults. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { ifKnown, medianText, secondsText } from '../text-table.ts';
import type { Exchange, Served } from './clients.ts';
import type { Judgement } from './judged-answers.ts';

/** One fault. */
export interface DispatcherTurn {
  readonly fault: string;
  readonly standbys: number;
  readonly messages: number;
  /** The longest time without an answer in any partition, from the fault on; and without one that is proved new. */
  readonly answeredMs: DurationMs;
  readonly provenMs: DurationMs;
  /** Answers of a standby's, which say so; those that the log contradicts; acknowledged messages that it lacks. */
  readonly marked: number;
  readonly wrong: number;
  readonly lost: number;
  /** Answered later than a second after they were due, and the latest. */
  readonly delayed: number;
  readonly slowestMs: DurationMs;
  readonly again: number;
  readonly resets: number;
  /** Former logins that were told of the newer one. */
  readonly fenced: number;
  readonly unsent: number;
  /** Sessions that ended with a gateway, by the log. */
  readonly evicted: number;
  /** From the loss of the gateway until the last of them was seen to end. */
  readonly endedMs: DurationMs | undefined;
}

const DELAYED_MS: DurationMs = 1_000;

/** What was served, with a fault at `fromMs`. */
export function figuresOf(
  { exchanges, again, resets, fenced, unsent }: Served,
  { wrongCount: wrong, lost, evicted }: Judgement,
  fromMs: DurationMs,
): Omit<DispatcherTurn, 'fault' | 'standbys' | 'endedMs'> {
  const waits = exchanges.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs);
  return {
    messages: exchanges.length,
    answeredMs: longestPause(exchanges, fromMs),
    provenMs: longestPause(
      exchanges.filter(({ isMarked }) => !isMarked),
      fromMs,
    ),
    marked: exchanges.filter(({ isMarked }) => isMarked).length,
    wrong,
    lost,
    delayed: waits.filter((ms) => ms > DELAYED_MS).length,
    slowestMs: waits.reduce((most, ms) => Math.max(most, ms), 0),
    again,
    resets,
    fenced,
    unsent,
    evicted,
  };
}

/** The longest time between two answers of one partition, as far as it lies behind `fromMs`. */
export function longestPause(
  exchanges: readonly Pick<Exchange, 'partition' | 'answeredAtMs'>[],
  fromMs: DurationMs,
): DurationMs {
  let longest = 0;
  for (const all of Map.groupBy(exchanges, ({ partition }) => partition).values()) {
    let last = fromMs;
    for (const at of all.map(({ answeredAtMs }) => answeredAtMs).toSorted((a, b) => a - b)) {
      if (at < fromMs) continue;
      longest = Math.max(longest, at - last);
      last = at;
    }
  }
  return longest;
}

const { spreads, sums, knowns } = combine<DispatcherTurn>();
const FIGURES = {
  ...spreads('messages', 'answeredMs', 'provenMs', 'marked', 'delayed', 'slowestMs', 'again', 'evicted', 'fenced'),
  ...sums('wrong', 'lost', 'resets', 'unsent'),
  ...knowns('endedMs'),
};
type DispatcherRow = Row<DispatcherTurn, 'fault' | 'standbys', typeof FIGURES>;

export function dispatcherRows(turns: readonly DispatcherTurn[]): readonly DispatcherRow[] {
  return rowsOf(turns, ['fault', 'standbys'], FIGURES);
}

export const DISPATCHER_PAGE: Page<DispatcherRow> = {
  columns: [
    ['fault', ({ fault }) => fault],
    ['standbys', ({ standbys }) => String(standbys)],
    ['answered again s', ({ answeredMs }) => secondsText(answeredMs)],
    ['by the owner s', ({ provenMs }) => secondsText(provenMs)],
    ['messages', ({ messages }) => medianText(messages)],
    ['> 1 s late', ({ delayed }) => medianText(delayed)],
    ['latest s', ({ slowestMs }) => secondsText(slowestMs)],
    ['sent again', ({ again }) => medianText(again)],
    ['marked', ({ marked }) => medianText(marked)],
    ['wrong', ({ wrong }) => String(wrong)],
    ['lost', ({ lost }) => String(lost)],
  ],
  more: [
    {
      title: 'Logins, and what a lost gateway takes along',
      columns: [
        ['fault', ({ fault }) => fault],
        ['standbys', ({ standbys }) => String(standbys)],
        ['former logins told', ({ fenced }) => medianText(fenced)],
        ['resets', ({ resets }) => String(resets)],
        ['ended with it', ({ evicted }) => medianText(evicted)],
        ['all seen after s', ({ endedMs }) => ifKnown(endedMs, secondsText, '–')],
      ],
    },
  ],
  note: [
    'answered again: the longest time without an answer to any user of one partition, from the fault on; by the owner: without one that',
    'is as of all that was in the log before the question. marked: by a standby, which says how old it is. wrong: the log says otherwise',
    'as of the position that the answer names, or the answer is older than it may be. lost: acknowledged, and not in the log.',
  ].join('\n'),
  verdicts: (rows) => {
    const [wrong, lost] = (['wrong', 'lost'] as const).map((name) => rows.reduce((sum, row) => sum + row[name], 0));
    return [
      '',
      `wrong answers: ${wrong} (none: ${verdict(wrong === 0)})`,
      `lost messages: ${lost} (none: ${verdict(lost === 0)})`,
      ...rows.flatMap(({ fault, unsent }) =>
        unsent === 0 ? [] : [`${fault}: ${unsent} were not sent, since too many waited`],
      ),
    ];
  },
  charts: (rows) => [
    chart(rows, {
      name: 'answered',
      title: 'the longest time without an answer to the users of a partition, ms; less is better',
      label: ({ fault, standbys }) => (standbys > 0 ? `${fault}, standby` : fault),
      isOurs: () => true,
      bar: ({ answeredMs }) => answeredMs,
    }),
  ],
};
