// Restores a partition's deliveries as of now: those that the engine has by its last commit, then those written since, then those
// that have come out since and are not taken yet.
//
// In this order: an entry that has left the state by the commit that is read has come out by the same transaction, so it is among
// what is read last. That transaction may be over in the changelog and not yet where entries come out, since each partition learns of
// it by itself: what lies there when the state has been read is waited for. So is what an operator was writing among the deliveries,
// which would hide what the former owner wrote behind it. Nothing else writes meanwhile, since that one is fenced.
import { type Clock, type DurationMs, type Millis, Retriable } from '@flatline/base';
import type { Breaker, KeptDelivery } from '@flatline/deliveries';
import { COMMAND_HEADER } from '@flatline/ports/formats';
import type { CommittedScan, RecordHeader, TopicPartition } from '@flatline/ports';
import { pause } from '@flatline/system';
import { dueAtOf, type DueRecord, isOfAnother, keptOf, keptRecordOf } from '../records/delivery-record.ts';
import { type RawRecord, rawOf } from '../records/raw-record.ts';

/** State of the pipeline that keeps them, of one partition, read from its changelog. */
export interface KeptState {
  /** All records of the deliveries below are in it; undefined: there is no commit yet. */
  readonly position: number | undefined;
  entries(): Iterable<{
    readonly key: Uint8Array;
    readonly value: Uint8Array;
    readonly headers: readonly RecordHeader[];
    readonly dueAt: Millis;
  }>;
}

export interface RestorationParts {
  readonly clock: Clock;
  readonly scan: CommittedScan;
  /** Records of another are passed over. */
  readonly application: string;
  readonly readState: () => Promise<KeptState>;
  readonly deliveries: TopicPartition;
  readonly due: TopicPartition;
  /** Where what is due was taken up to. */
  readonly dueFrom: number;
  /** Endpoints that tell keys apart: what waits for them is remembered, too. */
  readonly tellKeys: ReadonlySet<string>;
  readonly end: AbortSignal;
}

export interface Restored {
  readonly kept: ReadonlyMap<string, readonly KeptDelivery[]>;
  readonly breakers: ReadonlyMap<string, Breaker>;
  /** Greatest offset of an output of which a delivery was found to be kept; −1: of none. */
  readonly highest: number;
}

type KeptRecord = DueRecord & Pick<KeptDelivery, 'dueAt'>;
/** By the key of its record. */
class Kept extends Map<string, KeptRecord> {
  highest = -1;
}

/** @throws Retriable, naming the log, where a transaction there is not over in time */
export async function restore(parts: RestorationParts): Promise<Restored> {
  const { readState, deliveries, due, dueFrom } = parts;
  const kept = new Kept();
  const state = await readState();
  const { highWatermark: dueUntil } = await parts.scan.bounds(due);
  for (const { key, value, headers, dueAt } of state.entries())
    if (!isOfAnother(headers, parts.application))
      put(kept, key, { ...keptRecordOf(key, value, headers), dueAt }, parts);
  const { highWatermark: keptUntil } = await parts.scan.bounds(deliveries);
  await decidedBelow(deliveries, keptUntil, parts);
  await eachFrom(deliveries, state.position ?? 0, parts, (record) => {
    const { key, value, headers } = record;
    // A clock record (C2).
    if (key === null) return;
    if (value === null) kept.delete(nameOf(key));
    else if (headers.some(({ name }) => name === COMMAND_HEADER)) wake(kept, key);
    else put(kept, key, { ...keptRecordOf(key, value, headers), dueAt: dueAtOf(record) }, parts);
  });
  // Where keys are not told apart, what is missed comes by itself.
  if (parts.tellKeys.size > 0) await decidedBelow(due, dueUntil, parts);
  await eachFrom(due, dueFrom, parts, ({ key, value, headers }) => {
    if (key === null || value === null) return;
    const record = keptRecordOf(key, value, headers);
    kept.delete(nameOf(key));
    if (record.kind === 'delivery') put(kept, key, { ...record, phase: 'waiting' }, parts);
    else if (record.kind === 'breaker') put(kept, key, record, parts);
  });
  return byEndpoint(kept);
}

function put(kept: Kept, key: Uint8Array, record: KeptRecord, { tellKeys }: RestorationParts): void {
  if (record.kind === 'delivery') kept.highest = Math.max(kept.highest, record.delivery.order);
  const isWanted =
    record.kind === 'breaker' ||
    (record.kind === 'delivery' && (record.phase !== 'waiting' || tellKeys.has(record.delivery.endpoint)));
  if (!isWanted) kept.delete(nameOf(key));
  // Its body comes with it, when it is due.
  else if (record.kind === 'delivery' && record.phase !== 'held')
    kept.set(nameOf(key), { ...record, delivery: { ...record.delivery, body: NO_BODY, attempts: [] } });
  else kept.set(nameOf(key), record);
}

/** Between two looks at transactions that are being ended. */
const LOOK_MS: DurationMs = 20;
/** A transaction whose writer has died is ended by the broker within its timeout, mostly a minute at most. */
const DECIDED_WITHIN_MS: DurationMs = 60_000;
const NO_BODY = new Uint8Array(0);

/** It comes out by itself. */
function wake(kept: Kept, key: Uint8Array): void {
  const found = kept.get(nameOf(key));
  if (found?.kind === 'delivery') kept.set(nameOf(key), { ...found, phase: 'waiting', dueAt: undefined });
}

function byEndpoint(kept: Kept): Restored {
  const deliveries = new Map<string, KeptDelivery[]>();
  const breakers = new Map<string, Breaker>();
  for (const record of kept.values()) {
    if (record.kind === 'breaker') breakers.set(record.endpoint, record.breaker);
    if (record.kind !== 'delivery') continue;
    const { endpoint } = record.delivery;
    const theirs = deliveries.get(endpoint);
    if (theirs === undefined) deliveries.set(endpoint, [keptOf(record)]);
    else theirs.push(keptOf(record));
  }
  return { kept: deliveries, breakers, highest: kept.highest };
}

/** Resolves once every transaction that has written below `offset` is over. */
async function decidedBelow(
  log: TopicPartition,
  offset: number,
  { scan, end, clock }: RestorationParts,
): Promise<void> {
  const givenUpAtMs = clock.monotonicMs() + DECIDED_WITHIN_MS;
  while (!end.aborted && (await scan.bounds(log)).lastStableOffset < offset) {
    if (clock.monotonicMs() > givenUpAtMs)
      throw new Retriable(
        `${log.topic}/${log.partition}: a transaction below offset ${offset} is not over. The broker ends it by its ` +
          'timeout; if not, kafka-transactions.sh find-hanging shows it, and aborts it',
      );
    await pause(clock, LOOK_MS, end);
  }
}

/** Committed records from `from`, or the log's start, to the end as of now. */
async function eachFrom(
  log: TopicPartition,
  from: number,
  { scan, end, application }: RestorationParts,
  take: (record: RawRecord) => void,
): Promise<void> {
  const { logStartOffset, lastStableOffset } = await scan.bounds(log);
  for (let position = Math.max(from, logStartOffset); position < lastStableOffset && !end.aborted;) {
    const { cursor, nextOffset } = await scan.read(log, position);
    while (cursor.next()) {
      if (cursor.offset < position || cursor.offset >= lastStableOffset) continue;
      const record = rawOf(cursor);
      if (!isOfAnother(record.headers, application)) take(record);
    }
    position = nextOffset;
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1');
}
