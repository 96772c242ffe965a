// Deliveries of one pipeline in which nothing is wrong, for tests that make one thing of them wrong.
//
// `a` has all of its outputs, in order: the second fails once and is kept. `b` has the newest of a key. `c` fails until its breaker
// opens, and wants nothing more as it is probed.
import { base64Of, textOf } from '../logs/byte-names.ts';
import type { BegunAttempt, DeliveryEvidence, DeliveryRecord, JudgedEndpoint, JudgedSecret } from './evidence.ts';

export type Draft<T> = T extends number | Uint8Array | ((...args: never) => unknown)
  ? T
  : { -readonly [Name in keyof T]: Draft<T[Name]> };

export const START = Date.UTC(2026, 0, 31, 23, 59, 58);
/** From here on `c` is attempted. */
export const FAILING = START + 10_000;
const PIPELINE = 'visits';
const FAILED = 500;
const utf8 = new TextEncoder();

export function idOf(partition: number, number: number): string {
  return `${PIPELINE}:${partition}-${number}:0`;
}

export function secretOf(version: string, name: string): JudgedSecret {
  return { version, hasSigned: (signed, digest) => digest === digestBy(name, signed) };
}

function digestBy(name: string, signed: Uint8Array): string {
  return `${name}/${base64Of(signed)}`;
}

export function endpointOf(name: string, rules: Partial<JudgedEndpoint>): JudgedEndpoint {
  return {
    name,
    on: undefined,
    order: 'none',
    supersede: false,
    maxInFlight: 2,
    maxPerSecond: undefined,
    secrets: [secretOf('v1', 'first'), secretOf('v1a', 'second')],
    saidGone: false,
    ...rules,
  };
}

export interface Heard {
  readonly stampedAt?: number;
  readonly signatures?: readonly (readonly [version: string, secret: string])[];
  readonly body?: string;
}

/** The request that a site hears, signed by whom it is said to be. */
export function heard(
  id: string,
  at: number,
  body: string,
  wrong: Heard = {},
): { headers: Record<string, string>; body: Uint8Array } {
  const said = wrong.body ?? body;
  const stamp = Math.floor((wrong.stampedAt ?? at) / 1_000);
  const by = wrong.signatures ?? [
    ['v1', 'first'],
    ['v1a', 'second'],
  ];
  const signatures = by.map(([version, name]) => `${version},${digestBy(name, utf8.encode(`${id}.${stamp}.${said}`))}`);
  return {
    headers: { 'webhook-id': id, 'webhook-timestamp': String(stamp), 'webhook-signature': signatures.join(' ') },
    body: utf8.encode(said),
  };
}

/** One that ends ten milliseconds later. `status`: none is heard without. */
export function begun(endpoint: string, id: string, at: number, status?: number): Draft<BegunAttempt> {
  const attempt = { endpoint, id, at, run: 'p#1', isStale: false, fencedMs: 0, endedAt: at + 10 };
  if (status === undefined) return attempt;
  const output = [...SESSIONS, ...EVICTED].find((each) => id === idOf(each.partition, each.number))!;
  return {
    ...attempt,
    isDelivered: status < 300,
    heard: { ...heard(id, at, bodyOf(output)), answer: { at: at + 5, status } },
  };
}

/** `failed`: instants of attempts. */
export function kept(
  endpoint: string,
  id: string,
  timestamp: number,
  failed: readonly number[],
  delayMs = 3_600_000,
): Draft<DeliveryRecord> {
  const attempts = failed.map((at) => ({ at, ms: 10, status: FAILED }));
  return record(`${endpoint}/${id}`, '{}', timestamp, {
    'flatline-delay-ms': String(delayMs),
    delivery: JSON.stringify({ endpoint, id, attempts, phase: 'waiting' }),
  });
}

export function dropped(endpoint: string, id: string, timestamp: number): Draft<DeliveryRecord> {
  return record(`${endpoint}/${id}`, null, timestamp, {});
}

/** undefined: it is closed. */
export function breaker(endpoint: string, timestamp: number, said: object | undefined): Draft<DeliveryRecord> {
  if (said === undefined) return record(endpoint, null, timestamp, {});
  return record(endpoint, '{}', timestamp, { breaker: JSON.stringify(said) });
}

export function givenUp(id: string, timestamp: number, reason: string, attempts: number): Draft<DeliveryRecord> {
  const failed = Array.from({ length: attempts }, () => ({ at: FAILING }));
  return record('k', '{}', timestamp, { delivery: JSON.stringify({ endpoint: 'c', id, attempts: failed }), reason });
}

function record(
  key: string,
  value: string | null,
  timestamp: number,
  headers: Readonly<Record<string, string>>,
): Draft<DeliveryRecord> {
  return {
    offset: 0,
    timestamp,
    key: utf8.encode(key),
    value: value === null ? null : utf8.encode(value),
    headers: Object.entries(headers).map(([name, each]) => ({ name, value: utf8.encode(each) })),
  };
}

interface Session {
  readonly partition: number;
  readonly number: number;
  readonly key: string;
  readonly reason: string;
}

const SESSIONS: readonly Session[] = [
  { partition: 0, number: 0, key: 'k', reason: 'TIMEOUT' },
  { partition: 0, number: 1, key: 'k', reason: 'TIMEOUT' },
  { partition: 0, number: 2, key: 'm', reason: 'EXPLICIT' },
];
const EVICTED: readonly Session[] = Array.from({ length: 7 }, (_, number) => ({
  partition: 1,
  number,
  key: `n${number}`,
  reason: 'EVICTED',
}));

function valueOf({ partition, number, reason }: Session): string {
  return JSON.stringify({ incarnation: `${partition}-${number}`, reason });
}

function bodyOf(session: Session): string {
  const at = new Date(START + 100 * session.number).toISOString();
  return `{"type":"session.closed","timestamp":"${at}","data":${valueOf(session)}}`;
}

function outputsIn(sessions: readonly Session[]): Draft<DeliveryRecord>[] {
  return sessions.map((session) => ({
    ...record(session.key, valueOf(session), START + 100 * session.number, {}),
    offset: session.number,
  }));
}

/** When `c` is attempted for the first time, of each output: the last two begin before anyone knows that its breaker opens. */
export const FAILED_AT: readonly number[] = [0, 1_000, 2_000, 3_000, 4_000, 4_020, 4_060].map((ms) => FAILING + ms);
const COMMITTED_AT: readonly number[] = [50, 1_050, 2_050, 3_050, 4_050, 4_050, 4_080].map((ms) => FAILING + ms);

export function soundEvidence(): Draft<DeliveryEvidence> {
  const [first, second, third] = SESSIONS.map(({ partition, number }) => idOf(partition, number)) as [
    string,
    string,
    string,
  ];
  const failing = EVICTED.map(({ partition, number }) => idOf(partition, number));
  const trigger = record(`a/${second}`, '', START + 2_060, { 'flatline-command': 'TRIGGER' });
  const tombstone = { ...record('k', null, START + 300, {}), offset: 3 };
  return {
    pipeline: PIPELINE,
    endpoints: [
      endpointOf('a', { on: ['TIMEOUT', 'EXPLICIT'], order: 'key', maxPerSecond: 2 }),
      endpointOf('b', { on: ['TIMEOUT'], supersede: true }),
      endpointOf('c', { on: ['EVICTED'], saidGone: true }),
    ] as Draft<JudgedEndpoint>[],
    outputs: [[...outputsIn(SESSIONS), tombstone], outputsIn(EVICTED)],
    kept: [
      [kept('a', second, START + 2_050, [START + 2_000]), trigger, dropped('a', second, START + 7_150)],
      [
        ...failing.map((id, i) => kept('c', id, COMMITTED_AT[i]!, [FAILED_AT[i]!])),
        breaker('c', FAILING + 4_050, {
          kind: 'open',
          until: FAILING + 9_010,
          opened: 1,
          failedAt: FAILING + 4_010,
        }),
        breaker('c', FAILING + 9_150, { kind: 'disabled' }),
        ...failing.map((id) => dropped('c', id, FAILING + 9_150)),
      ],
    ],
    undeliverable: [
      [],
      failing.map((id, i) => givenUp(id, FAILING + 9_150, i === 0 ? 'gone' : 'disabled', 1 + Number(i === 0))),
    ],
    begun: [
      begun('a', first, START + 1_500, 200),
      { ...begun('a', first, START + 1_600), run: 'q#1', isStale: true, fencedMs: 12_000 },
      begun('a', second, START + 2_000, FAILED),
      begun('b', second, START + 2_000, 204),
      begun('a', third, START + 2_100, 200),
      begun('a', second, START + 7_100, 200),
      ...failing.map((id, i) => begun('c', id, FAILED_AT[i]!, FAILED)),
      begun('c', failing[0]!, FAILING + 9_100, 410),
    ],
    positions: [
      { partition: 0, offset: 2, at: START + 2_050 },
      { partition: 0, offset: 4, at: START + 2_150 },
      ...COMMITTED_AT.map((at, i) => ({ partition: 1, offset: i + 1, at })),
    ],
  };
}

/** The nth attempt of an output, from 0 on. */
export function attemptOf(
  { begun: all }: Draft<DeliveryEvidence>,
  endpoint: string,
  id: string,
  nth = 0,
): Draft<BegunAttempt> {
  return all.filter((each) => each.endpoint === endpoint && each.id === id && !each.isStale)[nth]!;
}

/** Changes what a JSON header says. */
export function rewrite(
  of: Draft<DeliveryRecord>,
  name: string,
  change: (said: Record<string, unknown>) => void,
): void {
  const header = of.headers.find((each) => each.name === name)!;
  const said = JSON.parse(textOf(header.value!)) as Record<string, unknown>;
  change(said);
  header.value = utf8.encode(JSON.stringify(said));
}
