// The page of a measurement of look-ups. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, type Page, type Row, rowsOf, verdict } from '../frame/page.ts';
import { type Quantiles, type Spread, spreadOf } from '../statistics.ts';
import { ifKnown, medianText, short, spreadText } from '../text-table.ts';

/** Requests of one way to ask. */
export interface LookUpTurn extends Quantiles {
  readonly way: string;
  readonly keys: number;
  readonly elapsedMs: DurationMs;
  /** CPU of all servers that take part. */
  readonly cpuMs: DurationMs;
}

/** Heartbeats at half capacity, beside so many look-ups. */
export interface LoadedTurn extends Quantiles {
  readonly lookUpsPerSecond: number;
  /** Answered, a second. */
  readonly asked: number;
  /** Not answered: `moving` or `restoring`, or nothing. */
  readonly unsaid: number;
  readonly heartbeatsPerSecond: number;
}

/** The owner of a key is dead. */
export interface LostTurn {
  readonly standbys: number;
  /** Until anything was answered, and until the key was found; undefined: it was not. */
  readonly firstMs: DurationMs;
  readonly liveMs: DurationMs | undefined;
  readonly by: string;
  /** The slowest answer until then. */
  readonly slowestMs: DurationMs;
}

/** The project's goals: CPU of a key over that of a bare GET. */
const GOALS: Readonly<Record<string, number>> = {
  local: 1.3,
  forwarded: 3,
  'local, 100 at once': 0.15,
};
const EMBEDDED_MIN = 500_000;
const LOADED_P99_MAX_MS = 30;
const HEARTBEATS_MIN = 0.97;
const STANDBY_WITHIN_MS = 1_000;
const MOVING_WITHIN_MS = 50;

const { spread, spreads } = combine<LookUpTurn>();
const FIGURES = {
  cpuUsPerKey: spread(({ cpuMs, keys }) => (1_000 * cpuMs) / keys),
  keysPerSecond: spread(({ keys, elapsedMs }) => (1_000 * keys) / elapsedMs),
  ...spreads('p50Ms', 'p99Ms'),
};

interface LookUpRow extends Row<LookUpTurn, 'way', typeof FIGURES> {
  /** CPU per key over that of the first way; ratio of medians. */
  readonly timesBare: number;
}

export function lookUpRows(turns: readonly LookUpTurn[]): readonly LookUpRow[] {
  const rows = rowsOf(turns, ['way'], FIGURES);
  return rows.map((row) => ({ ...row, timesBare: row.cpuUsPerKey.median / rows[0]!.cpuUsPerKey.median }));
}

export interface LookUpResults {
  readonly embeddedPerSecond: number;
  readonly loaded: readonly LoadedTurn[];
  readonly lost: readonly LostTurn[];
}

export function lookUpPage(results: LookUpResults): Page<LookUpRow> {
  return {
    columns: [
      ['way', ({ way }) => way],
      ['CPU µs/key', ({ cpuUsPerKey }) => spreadText(cpuUsPerKey)],
      ['× bare GET', ({ timesBare }) => timesBare.toFixed(2)],
      ['keys/s', ({ keysPerSecond }) => medianText(keysPerSecond)],
      ['p50 ms', ({ p50Ms }) => medianText(p50Ms)],
      ['p99 ms', ({ p99Ms }) => spreadText(p99Ms)],
    ],
    note: [
      'CPU: of the server, all threads; of both instances, but for the bare GET. The client runs on the same machine, and its CPU is not',
      'counted; it looks at its answers every 2 ms in place of waiting for them, since a server pays for waking whoever waits. keys/s: as',
      'that client has them. p50, p99: from when a request was due, with up to a millisecond until the client sends it. proof=now: as of all',
      'that was acknowledged before the question. Medians of the turns, least to most.',
    ].join('\n'),
    verdicts: (rows) => [
      '',
      ...costVerdicts(rows),
      ...proofLines(rows),
      ...embeddedVerdict(results),
      ...loadedVerdicts(results),
      ...lostVerdicts(results),
    ],
    charts: (rows) => [
      chart(rows, {
        name: 'cpu',
        title: 'CPU µs per key; less is better',
        label: ({ way }) => way,
        isOurs: ({ way }) => way !== 'bare GET',
        bar: ({ cpuUsPerKey }) => cpuUsPerKey,
      }),
    ],
  };
}

function costVerdicts(rows: readonly LookUpRow[]): readonly string[] {
  return rows.flatMap(({ way, timesBare }) => {
    const most = GOALS[way];
    if (most === undefined) return [];
    return [`${way}: ${timesBare.toFixed(2)} × a bare GET (at most ${most}: ${verdict(timesBare <= most)})`];
  });
}

/** Delays of what is proved beside those of plain answers (Q2). There is no goal: a question to the input's leader lies between. */
function proofLines(rows: readonly LookUpRow[]): readonly string[] {
  return rows.flatMap((proved) => {
    const plain = rows.find(({ way }) => `${way}${PROVED}` === proved.way);
    if (plain === undefined) return [];
    const beside = (of: 'p50Ms' | 'p99Ms'): string => `${medianText(proved[of])} ms beside ${medianText(plain[of])}`;
    return [`${proved.way}: p50 ${beside('p50Ms')}, p99 ${beside('p99Ms')} of plain answers`];
  });
}

const PROVED = ', proof=now';

function embeddedVerdict({ embeddedPerSecond }: LookUpResults): readonly string[] {
  const isMet = embeddedPerSecond >= EMBEDDED_MIN;
  return [
    `processor.lookup, 100 at once: ${short(embeddedPerSecond)} keys/s (at least ${short(EMBEDDED_MIN)}: ${verdict(isMet)})`,
  ];
}

function loadedVerdicts({ loaded }: LookUpResults): readonly string[] {
  const of = (is: (turn: LoadedTurn) => boolean, value: (turn: LoadedTurn) => number): Spread | undefined => {
    const values = loaded.filter(is).map(value);
    return values.length === 0 ? undefined : spreadOf(values);
  };
  const alone = of(
    ({ lookUpsPerSecond }) => lookUpsPerSecond === 0,
    (turn) => turn.heartbeatsPerSecond,
  );
  const beside = of(
    ({ lookUpsPerSecond }) => lookUpsPerSecond > 0,
    (turn) => turn.heartbeatsPerSecond,
  );
  const asked = of(
    ({ lookUpsPerSecond }) => lookUpsPerSecond > 0,
    (turn) => turn.asked,
  );
  const p99 = of(
    ({ lookUpsPerSecond }) => lookUpsPerSecond > 0,
    (turn) => turn.p99Ms,
  );
  if (alone === undefined || beside === undefined || p99 === undefined) return [];
  const share = beside.median / alone.median;
  const unsaid = loaded.reduce((sum, turn) => sum + turn.unsaid, 0);
  return [
    `beside ${medianText(alone)} heartbeats/s, ${ifKnown(asked, medianText)} look-ups/s, half of them forwarded: p99 ${spreadText(p99)} ms ` +
      `(at most ${LOADED_P99_MAX_MS}: ${verdict(p99.median <= LOADED_P99_MAX_MS)})`,
    `look-ups that were not answered: ${unsaid} (none: ${verdict(unsaid === 0)})`,
    `heartbeats beside them: ${share.toFixed(3)} of those without (at least ${HEARTBEATS_MIN}: ${verdict(share >= HEARTBEATS_MIN)})`,
  ];
}

function lostVerdicts({ lost }: LookUpResults): readonly string[] {
  return [...Map.groupBy(lost, ({ standbys }) => standbys)].flatMap(([standbys, turns]) => {
    const slowest = spreadOf(turns.map(({ slowestMs }) => slowestMs));
    if (standbys === 0) {
      const first = spreadOf(turns.map(({ firstMs }) => firstMs));
      const isMet = first.max <= MOVING_WITHIN_MS;
      return [
        `owner dead, no standby: first answer after ${spreadText(first)} ms, slowest ${spreadText(slowest)} (at most ${MOVING_WITHIN_MS}: ${verdict(isMet)})`,
      ];
    }
    const found = turns.map(({ liveMs = Infinity }) => liveMs);
    const isMet = found.every((ms) => ms <= STANDBY_WITHIN_MS) && turns.every(({ by }) => by === 'standby');
    return [
      `owner dead, a standby: its marked answer after ${spreadText(spreadOf(found))} ms (at most ${STANDBY_WITHIN_MS}: ${verdict(isMet)})`,
    ];
  });
}
