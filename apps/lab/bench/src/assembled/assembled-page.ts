// The page of a measurement of assembled sessions. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, type Page, type Row, rowsOf, tableText, verdict } from '../frame/page.ts';
import { spreadOf } from '../statistics.ts';
import { medianText, short, spreadText } from '../text-table.ts';

/** A processor with so many sessions, at rest. */
export interface BytesLook {
  readonly liveSessions: number;
  /** Anonymous memory of the process, garbage collected. */
  readonly memoryBytes: number;
  /** Bytes of all partitions from the floor to the end, and the part in live bases. */
  readonly changelogBytes: number;
  readonly liveBytes: number;
  /** Bytes of the local stores, as allocated on the disk. */
  readonly storeBytes: number;
}

export interface ShapeBytes {
  readonly shape: string;
  readonly does: string;
  readonly sessions: number;
  /** With half of the sessions, and with all of them. */
  readonly half: BytesLook;
  readonly all: BytesLook;
}

export interface InputTurn {
  readonly cell: string;
  readonly events: number;
  readonly cpuMs: DurationMs;
  readonly elapsedMs: DurationMs;
}

export interface CloseTurn {
  readonly variant: string;
  readonly closes: number;
  readonly cpuMs: DurationMs;
}

/** The project's goal for a close that is counted, over one that is not. */
const CLOSE_TIMES_MAX = 1.1;

type BytesRow = ReturnType<typeof bytesRows>[number];

/** Growth from half of the sessions to all of them, by sessions more; of the changelog, which is compared as a whole, by all. */
export function bytesRows(measured: readonly ShapeBytes[]) {
  return measured.map(({ shape, does, sessions, half, all }) => {
    const more = all.liveSessions - half.liveSessions;
    return {
      shape,
      does,
      sessions,
      memoryBytesPerSession: (all.memoryBytes - half.memoryBytes) / more,
      liveBytesPerSession: all.liveBytes / all.liveSessions,
      changelogBytesPerSession: all.changelogBytes / all.liveSessions,
      storeBytesPerSession: (all.storeBytes - half.storeBytes) / more,
    };
  });
}

const inputs = combine<InputTurn>();
const INPUT_FIGURES = {
  eventsPerCpuSecond: inputs.spread(({ events, cpuMs }) => (1_000 * events) / cpuMs),
  eventsPerSecond: inputs.spread(({ events, elapsedMs }) => (1_000 * events) / elapsedMs),
};

type InputRow = Row<InputTurn, 'cell', typeof INPUT_FIGURES> & { readonly timesFirst: number };

/** `timesFirst`: events per CPU second over those of the first cell. */
export function inputRows(turns: readonly InputTurn[]): readonly InputRow[] {
  const rows = rowsOf<InputTurn, 'cell', typeof INPUT_FIGURES>(turns, ['cell'], INPUT_FIGURES);
  const first = rows[0]?.eventsPerCpuSecond.median ?? NaN;
  return rows.map((row) => ({ ...row, timesFirst: row.eventsPerCpuSecond.median / first }));
}

/** `times`: over the first variant. */
export function closeRows(turns: readonly CloseTurn[]) {
  const rows = [...Map.groupBy(turns, ({ variant }) => variant)].map(([variant, each]) => ({
    variant,
    cpuUsPerClose: spreadOf(each.map(({ closes, cpuMs }) => (1_000 * cpuMs) / closes)),
  }));
  return rows.map((row) => ({ ...row, times: row.cpuUsPerClose.median / rows[0]!.cpuUsPerClose.median }));
}

export function assembledPage(events: readonly InputRow[], closes: ReturnType<typeof closeRows>): Page<BytesRow> {
  const bytes = (of: (row: BytesRow) => number) => (row: BytesRow) => of(row).toFixed(0);
  return {
    title: 'bytes of a session',
    columns: [
      ['session', ({ shape }) => shape],
      ['memory', bytes(({ memoryBytesPerSession }) => memoryBytesPerSession)],
      ['changelog, live', bytes(({ liveBytesPerSession }) => liveBytesPerSession)],
      ['changelog, all', bytes(({ changelogBytesPerSession }) => changelogBytesPerSession)],
      ['local store', bytes(({ storeBytesPerSession }) => storeBytesPerSession)],
    ],
    note: [
      'memory, local store: growth of anonymous memory, and of the blocks of LMDB, from half of the sessions to all of them, over the',
      'sessions more; garbage collected, all of it in the local store. changelog: what is above the floor, and what of it is the last',
      'word of an entry (`changelogFactor` bounds the rest).',
    ].join('\n'),
    verdicts: (rows) => [
      '',
      ...rows.map(({ shape, does }) => `${shape}: ${does}`),
      '',
      tableText(EVENT_COLUMNS, events),
      '',
      'All events lie there when the processor starts; two inputs have half of them each, in turn. A quiet table is asked for clock records.',
      '',
      tableText(CLOSE_COLUMNS, closes),
      '',
      ...closes
        .slice(1)
        .map(
          ({ times }) =>
            `a close that is counted, at most ${CLOSE_TIMES_MAX} × one that is not: ${verdict(times <= CLOSE_TIMES_MAX)}`,
        ),
    ],
    charts: (rows) => [
      chart(rows, {
        name: 'per-session',
        title: 'memory of a session, bytes, key of 36; less is better',
        label: ({ shape }) => shape,
        isOurs: () => true,
        bar: ({ memoryBytesPerSession: each }) => ({ median: each, min: each, max: each }),
      }),
      chart(events, {
        name: 'events',
        title: 'events per CPU second; more is better',
        label: ({ cell }) => cell,
        isOurs: () => true,
        bar: ({ eventsPerCpuSecond }) => eventsPerCpuSecond,
      }),
    ],
  };
}

const EVENT_COLUMNS: Page<InputRow>['columns'] = [
  ['events', ({ cell }) => cell],
  ['events/CPU-s', ({ eventsPerCpuSecond }) => spreadText(eventsPerCpuSecond)],
  ['× bare', ({ timesFirst }) => timesFirst.toFixed(2)],
  ['events/s', ({ eventsPerSecond }) => medianText(eventsPerSecond)],
];

const CLOSE_COLUMNS: Page<ReturnType<typeof closeRows>[number]>['columns'] = [
  ['closes', ({ variant }) => variant],
  ['CPU µs each', ({ cpuUsPerClose }) => spreadText(cpuUsPerClose)],
  ['×', ({ times }) => times.toFixed(2)],
];

export function conditionsText({
  sessions,
  events,
  partitions,
}: Readonly<Record<'sessions' | 'events' | 'partitions', number>>): string {
  return `${short(sessions)} sessions of each shape; ${short(events)} events; ${partitions} partitions`;
}
