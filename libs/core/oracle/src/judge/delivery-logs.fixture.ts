// The logs of one partition's deliveries in which nothing is wrong, for tests that make one thing of them wrong.
//
// `a` fails twice and takes it then. `b` fails until its breaker opens, wants nothing more, is enabled, and takes what is replayed.
import { base64Of } from '../logs/byte-names.ts';
import type { BatchMark, LogSource, NotifierPosition, WholeRecord } from '../logs/history.ts';
import { Findings } from './report.ts';
import { Place } from './place.ts';
import { blankReach } from './reach.ts';
import { readingOf } from './kinds.ts';
import { RULES } from '../rules/session/rules.fixture.ts';
import type { Draft } from '../deliveries/evidence.fixture.ts';
import { DeliveryLogCheck } from './delivery-log-check.ts';

export const START = Date.UTC(2026, 0, 31, 23, 59, 58);
const COURIER = [1, 0] as const;
export const OPERATOR = [2, 0] as const;
const utf8 = new TextEncoder();

export type Logged = Draft<WholeRecord> & { writer: readonly [producerId: number, epoch: number] | undefined };

export interface Logs {
  outputs: Draft<WholeRecord>[];
  kept: Logged[];
  undeliverable: Logged[];
  due: Logged[];
  /** First offsets that are still there. */
  starts: { outputs: number; kept: number; undeliverable: number };
  /** Default: all that is kept was there before `undeliverable` was cut. */
  keptDecidedBelow?: number;
  isUndeliverableCompacted?: boolean;
  taken: Draft<Pick<NotifierPosition, 'before' | 'behind'>>;
  takenDue: Draft<Pick<NotifierPosition, 'before' | 'behind'>>;
}

interface Record {
  readonly key: string | null;
  readonly value: string | null;
  /** After the start. */
  readonly ms: number;
  readonly headers?: Readonly<{ [name: string]: string }>;
  readonly by?: Logged['writer'];
}

export function logged({ key, value, ms, headers = {}, by = COURIER }: Record): Logged {
  return {
    offset: 0,
    timestamp: START + ms,
    logAppendTime: true,
    key: key === null ? null : utf8.encode(key),
    value: value === null ? null : utf8.encode(value),
    headers: Object.entries({ application: 'shop', ...headers }).map(([name, of]) => ({
      name,
      value: utf8.encode(of),
    })),
    writer: by,
  };
}

export const idOf = (output: number): string => `visits:0-${output}:0`;

export interface Attempted {
  readonly at: number;
  readonly status?: number;
  readonly error?: string;
}

export interface Keeping {
  readonly endpoint: string;
  readonly output: number;
  readonly ms: number;
  /** Instants after the start. */
  readonly attempts: readonly Attempted[];
  readonly phase?: string;
  readonly delayMs?: number;
  readonly by?: Logged['writer'];
}

export function keep({
  endpoint,
  output,
  ms,
  attempts,
  phase = 'waiting',
  delayMs = 0,
  by = COURIER,
}: Keeping): Logged {
  const delivery = saidOf({ endpoint, output, attempts, phase });
  const headers = { 'flatline-delay-ms': String(delayMs), delivery };
  return logged({ key: `${endpoint}/${idOf(output)}`, value: bodyOf(output), ms, headers, by });
}

export function drop(endpoint: string, output: number, ms: number, by = COURIER): Logged {
  return logged({ key: `${endpoint}/${idOf(output)}`, value: null, ms, by });
}

export function breaker(endpoint: string, ms: number, said: object | undefined): Logged {
  if (said === undefined) return logged({ key: endpoint, value: null, ms });
  return logged({ key: endpoint, value: '', ms, headers: { breaker: JSON.stringify(said) } });
}

export function givenUp(
  { endpoint, output, ms, attempts }: Pick<Keeping, 'endpoint' | 'output' | 'ms' | 'attempts'>,
  reason: string,
): Logged {
  const delivery = saidOf({ endpoint, output, attempts, phase: 'waiting' });
  return logged({ key: `k${output}`, value: bodyOf(output), ms, headers: { delivery, reason } });
}

/** The run of what `kept` has at that place. */
export function run(endpoint: string, output: number, madeAt: number, ms: number): Logged {
  const headers = { 'flatline-schedule': `0-${madeAt}`, 'flatline-run': '1' };
  return logged({ key: `${endpoint}/${idOf(output)}`, value: bodyOf(output), ms, headers });
}

function saidOf({ endpoint, output, attempts, phase }: Pick<Keeping, 'endpoint' | 'output' | 'attempts' | 'phase'>) {
  return JSON.stringify({
    endpoint,
    id: idOf(output),
    key: base64Of(utf8.encode(`k${output}`)),
    order: output,
    type: 'session.closed',
    attempts: attempts.map(({ at, ...of }) => ({ at: START + at, ms: 10, ...of })),
    phase,
  });
}

const FAILED = { status: 500 };
export const FIRST = { at: 0, ...FAILED };
export const SECOND = { at: 5_100, ...FAILED };
const OPENED = {
  kind: 'open',
  until: START + 35_010,
  opened: 1,
  failingSince: START + 20_010,
  failedAt: START + 30_010,
};
export const GONE_AT = 50_000;
const GONE = { kind: 'disabled', why: 'gone', since: START + GONE_AT };
const MARK = { replayed: '0' };

export function soundLogs(): Logs {
  const failing = [{ at: 30_000, ...FAILED }];
  const gone = [...failing, { at: GONE_AT - 10, status: 410 }];
  return {
    outputs: [0, 1, 2].map((output) => ({
      ...logged({ key: `k${output}`, value: valueOf(output), ms: -1_000 }),
      offset: output,
    })),
    kept: [
      keep({ endpoint: 'a', output: 0, ms: 20, attempts: [FIRST], delayMs: 5_000 }),
      logged({ key: null, value: '', ms: 4_000, by: undefined }),
      keep({ endpoint: 'a', output: 0, ms: 5_050, attempts: [FIRST], phase: 'held', delayMs: 600_000 }),
      keep({ endpoint: 'a', output: 0, ms: 5_120, attempts: [FIRST, SECOND], delayMs: 310_000 }),
      breaker('b', 20_020, { kind: 'closed', failures: 1, failingSince: START + 20_010, failedAt: START + 20_010 }),
      breaker('b', 30_020, OPENED),
      keep({ endpoint: 'b', output: 1, ms: 30_020, attempts: failing, delayMs: 4_500 }),
      breaker('b', 40_020, { ...OPENED, until: START + 50_010, opened: 2, failedAt: START + 40_010 }),
      breaker('b', GONE_AT, GONE),
      drop('b', 1, GONE_AT),
      logged({ key: 'b/enable', value: 'b', ms: 60_000, headers: { 'notifier-command': 'enable' }, by: OPERATOR }),
      breaker('b', 60_050, undefined),
      keep({ endpoint: 'b', output: 1, ms: 70_000, attempts: [], by: OPERATOR }),
      drop('b', 1, 70_100),
      drop('a', 0, 320_000),
    ],
    undeliverable: [
      givenUp({ endpoint: 'b', output: 1, ms: GONE_AT, attempts: gone }, 'gone'),
      logged({ key: 'k1', value: '', ms: 70_000, headers: MARK, by: OPERATOR }),
    ],
    due: [run('a', 0, 0, 5_030), run('a', 0, 3, 316_000), run('b', 1, 12, 70_050)],
    starts: { outputs: 0, kept: 0, undeliverable: 0 },
    taken: { before: 3, behind: 3 },
    takenDue: { before: 3, behind: 3 },
  };
}

function valueOf(output: number): string {
  return JSON.stringify({ incarnation: `0-${output}`, state: 'CLOSED', reason: 'TIMEOUT' });
}

function bodyOf(output: number): string {
  const at = new Date(START - 1_000).toISOString();
  return `{"type":"session.closed","timestamp":"${at}","data":${valueOf(output)}}`;
}

/** Findings, and what is left open. */
export async function foundIn(logs: Logs) {
  const findings = new Findings();
  const { starts, outputs } = logs;
  const { words } = readingOf(0, RULES, findings.reach);
  const reach = blankReach();
  const kept = logs.kept.map((record, offset) => ({ ...record, offset })).slice(starts.kept);
  const undeliverable = logs.undeliverable.map((record, offset) => ({ ...record, offset })).slice(starts.undeliverable);
  await new DeliveryLogCheck({
    partition: 0,
    words,
    reach,
    place: (topic) => new Place(topic, 0, findings),
    history: {
      application: 'shop',
      pipeline: 'visits',
      webhooks: new Set(['a', 'b', 'c']),
      kept: sourceOf('kept', starts.kept, kept),
      keptDecidedBelow: logs.keptDecidedBelow ?? logs.kept.length,
      isUndeliverableCompacted: logs.isUndeliverableCompacted ?? false,
      transactionMs: 60_000,
      undeliverable: sourceOf('undeliverable', starts.undeliverable, undeliverable),
      due: sourceOf(
        'due',
        0,
        logs.due.map((record, offset) => ({ ...record, offset })),
      ),
      outputAt: (offset) => Promise.resolve(outputs.find((each) => each.offset === offset)),
      outputStart: starts.outputs,
      outputs: { ...logs.taken, end: outputs.length },
      dueRuns: { ...logs.takenDue, end: logs.due.length },
    },
  }).run();
  const { violations, undecided } = findings.report();
  const found = violations.map(
    ({ rule, topic, offset, key, what }) => `${rule} ${topic} ${offset ?? ''} ${key ?? ''} ${what}`,
  );
  return { found, undecided, counts: [reach.deliveriesKept, reach.deliveriesGivenUp] };
}

function sourceOf(topic: string, logStart: number, records: readonly Logged[]): LogSource<WholeRecord> {
  const batches = records.map(({ offset, writer }): BatchMark => {
    const [producerId, producerEpoch] = writer ?? [-1, -1];
    return {
      baseOffset: offset,
      lastOffset: offset,
      producerId,
      producerEpoch,
      transactional: writer !== undefined,
      marker: undefined,
    };
  });
  const parts = [{ records, batches }];
  return { topic, logStart, read: () => Promise.resolve(parts.shift()), hanging: () => Promise.resolve([]) };
}
