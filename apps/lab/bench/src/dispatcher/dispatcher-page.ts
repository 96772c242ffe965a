// The page of a dispatcher through faults. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { ifKnown, medianText, seconds, secondsText } from '../text-table.ts';
import type { Exchange, Served } from './clients.ts';
import { fifteenMillion, type Measured, type Reckoned } from './fifteen-million.ts';
import type { Judgement } from './judged-answers.ts';

/** One fault. */
export interface DispatcherTurn extends Measured, Reckoned {
  readonly fault: string;
  readonly standbys: number;
  readonly messages: number;
  /** The longest time without an answer in any partition, from the fault on; `provenMs`: without one that is proved new. */
  readonly answeredMs: DurationMs;
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
}

/** Measured beside the service: `endedMs` from the loss of a gateway until the last of its users was seen to end. */
interface Beside extends Omit<Measured, 'provenMs'> {
  /** When the fault came. */
  readonly fromMs: DurationMs;
}

const DELAYED_MS: DurationMs = 1_000;

export function figuresOf(
  { exchanges, again, resets, fenced, unsent }: Served,
  { wrongCount: wrong, lost, evicted }: Judgement,
  { fromMs, ...beside }: Beside,
): Omit<DispatcherTurn, 'fault' | 'standbys'> {
  const proven = exchanges.filter(({ isMarked }) => !isMarked);
  const measured = { ...beside, provenMs: longestPause(exchanges, fromMs, { isProven: true }) };
  const waits = exchanges.map(({ sentAtMs, answeredAtMs }) => answeredAtMs - sentAtMs);
  return {
    messages: exchanges.length,
    ...measured,
    ...fifteenMillion(measured),
    answeredMs: longestPause(exchanges, fromMs),
    marked: exchanges.length - proven.length,
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

/** The longest time between two answers of one partition, as far as it lies behind `fromMs`: of all, or of those of the owners alone. */
export function longestPause(
  exchanges: readonly Pick<Exchange, 'partition' | 'answeredAtMs' | 'isMarked'>[],
  fromMs: DurationMs,
  { isProven = false } = {},
): DurationMs {
  let longest = 0;
  for (const all of Map.groupBy(exchanges, ({ partition }) => partition).values()) {
    let last = fromMs;
    for (const { answeredAtMs, isMarked } of all.toSorted((a, b) => a.answeredAtMs - b.answeredAtMs)) {
      if (answeredAtMs < fromMs) continue;
      // One that does not count shows that the pause lasts on: behind the last one there may be none that ends it.
      longest = Math.max(longest, answeredAtMs - last);
      if (!isProven || !isMarked) last = answeredAtMs;
    }
  }
  return longest;
}

const { spreads, sums, knowns } = combine<DispatcherTurn>();
const FIGURES = {
  ...spreads('messages', 'answeredMs', 'provenMs', 'marked', 'delayed', 'slowestMs', 'again', 'evicted', 'fenced'),
  ...sums('wrong', 'lost', 'resets', 'unsent'),
  ...spreads('memoryBytes', 'changelogBytes', 'restoreMs', 'emptyRestoreMs'),
  ...knowns('reckonedMemoryBytes', 'reckonedChangelogBytes', 'reckonedProvenMs', 'reckonedEndedMs', 'endedMs'),
};
type DispatcherRow = Row<DispatcherTurn, 'fault' | 'standbys' | 'users', typeof FIGURES>;

export function dispatcherRows(turns: readonly DispatcherTurn[]): readonly DispatcherRow[] {
  return rowsOf(turns, ['fault', 'standbys', 'users'], FIGURES);
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
    {
      title: 'What these users take, and fifteen million would',
      columns: [
        ['fault', ({ fault }) => fault],
        ['standbys', ({ standbys }) => String(standbys)],
        ['memory B/user', ({ memoryBytes, users }) => (memoryBytes.median / users).toFixed(0)],
        ['changelog B/user', ({ changelogBytes, users }) => (changelogBytes.median / users).toFixed(0)],
        ['restored s', ({ restoreMs }) => secondsText(restoreMs)],
        ['15 M: memory GB', ({ reckonedMemoryBytes }) => ifKnown(reckonedMemoryBytes, gigabytes, '–')],
        ['changelog GB', ({ reckonedChangelogBytes }) => ifKnown(reckonedChangelogBytes, gigabytes, '–')],
        ['by the owner s', ({ reckonedProvenMs }) => ifKnown(reckonedProvenMs, secondsText, '–')],
        ['all seen after s', ({ reckonedEndedMs }) => ifKnown(reckonedEndedMs, secondsText, '–')],
      ],
      note: [
        'memory: growth of both processes while the second half of the users logged in, anonymous, garbage collected. restored: the slowest',
        'partition, from its assignment. 15 M: reckoned, not seen, for the same two instances: bytes and the time of a loss in proportion to',
        'the users; by the owner is as measured, with what restoring takes beyond that of an empty partition so many times as long.',
      ].join('\n'),
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
      againVerdict(rows),
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

/** Reported of a system of this kind: the restart of a shard that has backups. */
const PEERS_RESTART_MS: DurationMs = 45_000;

function againVerdict(rows: readonly DispatcherRow[]): string {
  const worst = rows.reduce((most, { answeredMs }) => Math.max(most, answeredMs.max), 0);
  const peer = `${seconds(PEERS_RESTART_MS)} s, reported of such a system`;
  return `answered again after ${seconds(worst)} s at most (sooner than ${peer}: ${verdict(worst < PEERS_RESTART_MS)})`;
}

function gigabytes({ median }: { readonly median: number }): string {
  return (median / 1e9).toFixed(1);
}
