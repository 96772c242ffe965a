// Judges deliveries by what lies on the topics and what sites have heard (N1–N5, V10): read from docs/SPEC.md and docs/FORMATS.md alone.
import type { DurationMs, Millis } from '@flatline/base';
import type { LogRecord } from '@flatline/cluster';
import { createHmac, createPublicKey, createPrivateKey, verify } from 'node:crypto';
import { judgeBreaker } from './breaker-judge.ts';
import type { BegunAttempt, CommittedPosition } from './ledger.ts';
import { headerOf, SLACK_MS, text } from './record-words.ts';
import type { DrawnSecret } from './scenario.ts';

export interface JudgedEndpoint {
  readonly name: string;
  readonly on: readonly string[] | undefined;
  readonly order: 'none' | 'key';
  readonly supersede: boolean;
  readonly maxInFlight: number;
  readonly maxPerSecond: number | undefined;
  readonly secrets: readonly DrawnSecret[];
  readonly saidGone: boolean;
}

export interface DeliveryEvidence {
  readonly pipeline: string;
  readonly endpoints: readonly JudgedEndpoint[];
  /** By partition, as committed. */
  readonly outputs: readonly (readonly LogRecord[])[];
  readonly kept: readonly (readonly LogRecord[])[];
  readonly undeliverable: readonly (readonly LogRecord[])[];
  readonly begun: readonly BegunAttempt[];
  /** Up to where outputs were taken, in the order of the commits. */
  readonly positions: readonly CommittedPosition[];
}

interface Output {
  readonly id: string;
  readonly key: string;
  readonly partition: number;
  readonly offset: number;
  readonly reason: string;
  readonly body: string;
}

interface Failed {
  readonly at: Millis;
  readonly answer?: string;
  readonly error?: string;
  readonly status?: number;
}

interface Kept {
  readonly kind: 'keep' | 'drop' | 'wake';
  readonly at: Millis;
  readonly attempts: readonly Failed[];
  readonly phase: string;
}

const WAITS_MS: readonly DurationMs[] = [0, 5e3, 3e5, 18e5, 72e5, 18e6, 36e6, 504e5, 72e6, 864e5];
const ATTEMPTS_MAX = 10;
/** The clock of the engine may be ahead by so much: it brings out what is due within it. */
const EARLY_MS = 1_100;
const GONE = 410;
/** Attempts begin so soon after a commit (UNFENCED_MS); and its answer may be late by so much. */
const UNFENCED_MS = 1_000;
const ANSWER_MS = 10_000;
export function judgeDeliveries(evidence: DeliveryEvidence): string[] {
  const outputs = evidence.outputs.flatMap((records, partition) => outputsIn(evidence.pipeline, records, partition));
  return [
    ...evidence.begun.flatMap((attempt) => judgeRequest(attempt, evidence, outputs)),
    ...evidence.endpoints.flatMap((endpoint) => judgeEndpoint(endpoint, evidence, outputs)),
  ];
}

/** Outputs that are still to be delivered, or given up. */
export function waitingIn(evidence: DeliveryEvidence): string[] {
  const outputs = evidence.outputs.flatMap((records, partition) => outputsIn(evidence.pipeline, records, partition));
  return evidence.endpoints.flatMap((endpoint) =>
    lost(endpoint, evidence, outputs).map(({ id }) => `${endpoint.name}/${id}`),
  );
}

function outputsIn(pipeline: string, records: readonly LogRecord[], partition: number): Output[] {
  return records.flatMap(({ key, value, timestamp, offset }) => {
    if (value === null) return [];
    const data = JSON.parse(text(value)) as { incarnation: string; revision?: number; reason: string };
    const id = `${pipeline}:${data.incarnation}:${data.revision ?? 0}`;
    const instant = new Date(timestamp).toISOString();
    const body = `{"type":"session.closed","timestamp":"${instant}","data":${text(value)}}`;
    return [{ id, key: text(key), partition, offset, reason: data.reason, body }];
  });
}

function wantedBy({ on }: JudgedEndpoint, { reason }: Output): boolean {
  return on === undefined || on.includes(reason) || on.includes('session.closed');
}

// Requests (N1, V10).

function judgeRequest(attempt: BegunAttempt, { endpoints }: DeliveryEvidence, outputs: readonly Output[]): string[] {
  const { endpoint: name, id, heard, at } = attempt;
  const endpoint = endpoints.find((each) => each.name === name)!;
  const output = outputs.find((each) => each.id === id);
  if (output === undefined) return [`[V10] ${name}: ${id} is no committed output`];
  if (!wantedBy(endpoint, output)) return [`[N1] ${name}: ${id} is not for it`];
  if (heard === undefined) return [];
  const { headers, body } = heard;
  const found: string[] = [];
  if (text(body) !== output.body) found.push(`[V10] ${name}: ${id} has another body than its output`);
  if (id.includes('.') || headers['webhook-id'] !== id)
    found.push(`[N1] ${name}: ${id} is sent as ${headers['webhook-id']}`);
  const stamped = Number(headers['webhook-timestamp']);
  if (Math.abs(stamped - at / 1_000) > 1.5) found.push(`[N1] ${name}: ${id} of ${at} is stamped ${stamped}`);
  const signed = Buffer.concat([Buffer.from(`${id}.${stamped}.`), body]);
  const signatures = (headers['webhook-signature'] ?? '').split(' ');
  for (const secret of endpoint.secrets)
    if (!signatures.some((signature) => isBy(secret, signature, signed)))
      found.push(`[N1] ${name}: ${id} is not signed by one of its secrets (${secret.version})`);
  return found;
}

function isBy({ version, bytes }: DrawnSecret, signature: string, signed: Buffer): boolean {
  const [said, digest = ''] = signature.split(',');
  if (said !== version) return false;
  if (version === 'v1') return createHmac('sha256', bytes).update(signed).digest('base64') === digest;
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytes]);
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return verify(null, signed, key, Buffer.from(digest, 'base64'));
}

// The deliveries of an endpoint (N2–N4).

function judgeEndpoint(endpoint: JudgedEndpoint, evidence: DeliveryEvidence, outputs: readonly Output[]): string[] {
  const begun = evidence.begun.filter((each) => each.endpoint === endpoint.name);
  return [
    ...lost(endpoint, evidence, outputs).map(
      ({ id }) => `[N3] ${endpoint.name}: ${id} is neither delivered nor given up`,
    ),
    ...outputs.flatMap((output) => judgeDelivery(output, endpoint, evidence, begun)),
    ...evidence.kept.flatMap((kept, partition) => judgeBreaker(endpoint, partition, kept, begun)),
    ...judgeAtRisk(endpoint, evidence, outputs, begun),
    ...judgeFenced(endpoint, begun),
    ...judgePace(endpoint, begun),
    ...judgeOrder(endpoint, evidence, outputs, begun),
    ...judgeGivenUp(endpoint, evidence),
  ];
}

function isDelivered(id: string, begun: readonly BegunAttempt[]): boolean {
  return begun.some((each) => each.id === id && isSuccess(each));
}

function isSuccess({ heard }: BegunAttempt): boolean {
  const status = heard?.answer?.status ?? 0;
  return status >= 200 && status < 300;
}

function lost(endpoint: JudgedEndpoint, evidence: DeliveryEvidence, outputs: readonly Output[]): readonly Output[] {
  const begun = evidence.begun.filter((each) => each.endpoint === endpoint.name);
  const givenUp = new Set(givenUpBy(endpoint, evidence).map(({ id }) => id));
  const isDone = ({ id }: Output): boolean => isDelivered(id, begun) || givenUp.has(id);
  return outputs.filter((output) => {
    if (!wantedBy(endpoint, output) || isDone(output)) return false;
    const isReplaced = ({ key, partition, offset, ...later }: Output): boolean =>
      key === output.key &&
      partition === output.partition &&
      offset > output.offset &&
      wantedBy(endpoint, { key, partition, offset, ...later });
    return !(endpoint.supersede && outputs.some(isReplaced));
  });
}

function givenUpBy({ name }: Pick<JudgedEndpoint, 'name'>, { undeliverable }: DeliveryEvidence) {
  return undeliverable.flat().flatMap((record) => {
    const said = JSON.parse(headerOf(record, 'delivery') ?? '{}') as {
      endpoint?: string;
      id?: string;
      attempts?: unknown[];
    };
    if (said.endpoint !== name) return [];
    return [
      { id: said.id!, at: record.timestamp, why: headerOf(record, 'reason'), attempts: said.attempts?.length ?? 0 },
    ];
  });
}

function judgeGivenUp(endpoint: JudgedEndpoint, evidence: DeliveryEvidence): string[] {
  return givenUpBy(endpoint, evidence).flatMap(({ id, why, attempts }) => {
    const isRight =
      why === 'attempts' ? attempts === ATTEMPTS_MAX : endpoint.saidGone && (why === 'gone' || why === 'disabled');
    return isRight ? [] : [`[N2] ${endpoint.name}: ${id} is given up after ${attempts} attempts: ${why}`];
  });
}

/** Returns the records of a delivery, in the order of the log. */
function writtenOf(endpoint: string, { id, partition }: Output, { kept }: DeliveryEvidence): Kept[] {
  return kept[partition]!.flatMap((record): Kept[] => {
    if (text(record.key) !== `${endpoint}/${id}`) return [];
    const { timestamp: at, value } = record;
    if (value === null) return [{ kind: 'drop', at, attempts: [], phase: '' }];
    if (headerOf(record, 'flatline-command') !== undefined) return [{ kind: 'wake', at, attempts: [], phase: '' }];
    const { attempts, phase } = JSON.parse(headerOf(record, 'delivery')!) as Pick<Kept, 'attempts' | 'phase'>;
    return [{ kind: 'keep', at, attempts, phase }];
  });
}

function judgeDelivery(
  output: Output,
  endpoint: JudgedEndpoint,
  evidence: DeliveryEvidence,
  all: readonly BegunAttempt[],
): string[] {
  const of = `${endpoint.name}: ${output.id}`;
  const begun = all.filter(({ id }) => id === output.id);
  const written = writtenOf(endpoint.name, output, evidence);
  const found: string[] = [];
  const dropped = written.find(({ kind }) => kind === 'drop');
  const kept = written.find(({ kind }) => kind === 'keep');
  const passedAt = passedAtOf(output, evidence);
  found.push(...passedOver(output, endpoint, evidence, { of, begun, passedAt, keptAt: kept?.at ?? Infinity }));
  for (const { at, isStale } of begun) {
    if (!isStale && at >= passedAt && at < (kept?.at ?? Infinity))
      found.push(`[N3] ${of} is attempted at ${at}, is not kept, and was passed over at ${passedAt}`);
    if (!isStale && dropped !== undefined && at > dropped.at + SLACK_MS)
      found.push(`[N3] ${of} is attempted at ${at}, and was done with at ${dropped.at}`);
  }
  let former: readonly Failed[] = [];
  for (const { kind, at, attempts, phase } of written) {
    if (kind !== 'keep') continue;
    const before = begun.filter((each) => each.at <= at).length;
    if (attempts.length > before) found.push(`[N2] ${of} has ${attempts.length} attempts of ${before} that were made`);
    if (former.some(({ at: then }, i) => attempts[i]?.at !== then)) found.push(`[N3] ${of} has forgotten attempts`);
    for (const { answer = '', error = '' } of attempts)
      if (answer.length > 256 || error.length > 256)
        found.push(`[N5] ${of} keeps ${answer.length + error.length} characters`);
    if (attempts.at(-1)?.status === GONE) found.push(`[N2] ${of} waits, and its endpoint wants nothing more`);
    if (attempts.length > former.length && phase === 'waiting')
      found.push(...tooSoon(of, begun, { at, attempts, phase, kind }));
    former = attempts;
  }
  return found;
}

/** When an output was below the committed position for the first time. */
function passedAtOf({ partition, offset }: Output, { positions }: DeliveryEvidence): Millis {
  return positions.find((each) => each.partition === partition && each.offset > offset)?.at ?? Infinity;
}

interface Passing {
  readonly of: string;
  readonly begun: readonly BegunAttempt[];
  readonly passedAt: Millis;
  readonly keptAt: Millis;
}

/** N3: what a position moves beyond is kept by then, or done with. */
function passedOver(
  output: Output,
  endpoint: JudgedEndpoint,
  evidence: DeliveryEvidence,
  { of, begun, passedAt, keptAt }: Passing,
): string[] {
  if (passedAt === Infinity || keptAt <= passedAt || !wantedBy(endpoint, output)) return [];
  const isDone =
    begun.some((each) => isSuccess(each) && each.heard!.answer!.at <= passedAt) ||
    givenUpBy(endpoint, evidence).some(({ id, at }) => id === output.id && at <= passedAt) ||
    (endpoint.supersede && isReplaced(output, endpoint, evidence));
  return isDone ? [] : [`[N3] ${of} is neither kept nor done with, and was passed over at ${passedAt}`];
}

/** By one that was taken before the commit that moved the position beyond it. */
function isReplaced({ key, partition, offset }: Output, endpoint: JudgedEndpoint, evidence: DeliveryEvidence): boolean {
  const passing = evidence.positions.find((each) => each.partition === partition && each.offset > offset)!;
  const taken = outputsIn(evidence.pipeline, evidence.outputs[partition]!, partition);
  return taken.some(
    (each) => each.key === key && each.offset > offset && each.offset < passing.offset && wantedBy(endpoint, each),
  );
}

/** N3: of a partition no more is under way, or over with an outcome that is not committed, than may be under way. */
function judgeAtRisk(
  { name, maxInFlight }: JudgedEndpoint,
  evidence: DeliveryEvidence,
  outputs: readonly Output[],
  all: readonly BegunAttempt[],
): string[] {
  const spans = all.flatMap((each) => {
    const output = outputs.find(({ id }) => id === each.id);
    if (each.isStale || output === undefined) return [];
    const written = writtenOf(name, output, evidence);
    const dropped = written.find(({ kind, at }) => kind === 'drop' && at >= each.at);
    const doneAt = written.length === 0 ? passedAtOf(output, evidence) : (dropped?.at ?? Infinity);
    const givenUp = givenUpBy({ name }, evidence).find(({ id, at }) => id === each.id && at >= each.at);
    const kept = written.find(({ attempts }) => attempts.some((attempt) => attempt.at === each.at));
    const failedAt = Math.min(kept?.at ?? Infinity, givenUp?.at ?? Infinity);
    const { at, run } = each;
    return [
      { at, run, partition: output.partition, id: each.id, until: each.isDelivered === true ? doneAt : failedAt },
    ];
  });
  return spans.flatMap(({ at, run, partition, id }) => {
    const atRisk = spans.filter(
      (each) => each.run === run && each.partition === partition && each.at <= at && each.until > at,
    );
    if (atRisk.length <= maxInFlight) return [];
    return [`[N3] ${name}: ${atRisk.length} would be sent again as ${id} begins at ${at}`];
  });
}

/** N2: the wait after the last of these attempts, and longer where the endpoint asked for it. */
function tooSoon(of: string, begun: readonly BegunAttempt[], { at, attempts }: Kept): string[] {
  const last = attempts.at(-1)!;
  const asked =
    last.status === undefined ? undefined : begun.find((each) => each.at === last.at)?.heard?.answer?.retryAfterMs;
  const waitMs = Math.max(0.8 * WAITS_MS[attempts.length]!, asked ?? 0);
  const next = begun.find((each) => each.at > at && !each.isStale);
  // Who was frozen has written it later than it was.
  const failedAt = Math.min(at, begun.find((each) => each.at === last.at)?.endedAt ?? at);
  if (next === undefined || next.at >= failedAt + waitMs - EARLY_MS) return [];
  return [
    `[N2] ${of} is attempted ${next.at - failedAt} ms after its failure number ${attempts.length}, not ${waitMs}`,
  ];
}

/** N3: whoever has lost its partition meets the fence before it attempts anything. */
function judgeFenced({ name }: JudgedEndpoint, begun: readonly BegunAttempt[]): string[] {
  return begun
    .filter(({ fencedMs }) => fencedMs > 2 * UNFENCED_MS + ANSWER_MS)
    .map(({ id, fencedMs }) => `[N3] ${name}: ${id} is attempted ${fencedMs} ms after another has fenced its courier`);
}

function judgePace({ name, maxInFlight, maxPerSecond }: JudgedEndpoint, begun: readonly BegunAttempt[]): string[] {
  const processes = new Set(begun.map(({ run }) => run.split('#')[0]!));
  return [...processes].flatMap((process) => {
    const own = begun.filter(({ run }) => run.startsWith(`${process}#`));
    const found: string[] = [];
    for (const { at, id } of own) {
      const underWay = own.filter((each) => each.at <= at && (each.endedAt ?? Infinity) > at).length;
      if (underWay > maxInFlight) found.push(`[N4] ${name}: ${underWay} are under way from ${process} as ${id} begins`);
      const inSecond = own.filter((each) => each.at > at - 1_000 && each.at <= at).length;
      // GA2: a twentieth more for timers that came late, and one at each end. What is let through begins once it is kept, so as many
      // as may be under way may have been let through before.
      if (maxPerSecond !== undefined && inSecond > 1.05 * maxPerSecond + 1 + maxInFlight)
        found.push(`[N4] ${name}: ${inSecond} begin within a second from ${process}`);
    }
    return found.slice(0, 1);
  });
}

/** N4: of a key, an attempt begins when its predecessors are done with; with `supersede` no earlier one comes after a later one. */
function judgeOrder(
  endpoint: JudgedEndpoint,
  evidence: DeliveryEvidence,
  outputs: readonly Output[],
  begun: readonly BegunAttempt[],
): string[] {
  if (endpoint.order !== 'key' && !endpoint.supersede) return [];
  const found: string[] = [];
  const givenUp = givenUpBy(endpoint, evidence);
  for (const attempt of begun) {
    if (attempt.isStale) continue;
    const own = outputs.find(({ id }) => id === attempt.id);
    if (own === undefined) continue;
    const before = outputs.filter(
      (each) =>
        each.key === own.key &&
        each.partition === own.partition &&
        each.offset < own.offset &&
        wantedBy(endpoint, each),
    );
    for (const { id } of before) {
      const late = begun.find((each) => each.id === id && !each.isStale && each.at > attempt.at);
      const isOver =
        begun.some((each) => each.id === id && isSuccess(each) && each.heard!.answer!.at <= attempt.at) ||
        givenUp.some((each) => each.id === id && each.at <= attempt.at) ||
        (endpoint.supersede && late === undefined);
      if (!isOver)
        found.push(
          `[N4] ${endpoint.name}: ${attempt.id} is attempted at ${attempt.at} before ${id}, of its key ${own.key}, is done with`,
        );
    }
  }
  return found;
}
