// A log of records in memory for tests of the core, and what the oracle's fold says of it.
import { ReusedMemory, seededRandom } from '@flatline/base';
import { inputRecord, type PipelineRules, type RawRecord } from '@flatline/oracle';
import { foldInput } from '@flatline/oracle/session';
import { sessionKind, type SessionOptions } from '@flatline/kinds/session';
import type { SessionSummary } from '@flatline/ports/formats';
import type { PartitionTask, Restoration, RestoreStep, TaskOptions } from './index.ts';
import {
  headerSection,
  KEY_GROUP_MAX,
  type KeyGroup,
  type KeySpans,
  type OutgoingRecord,
  type RecordCursor,
  type RecordHeader,
} from '@flatline/ports';
import type { EntryTable } from './entries/entry-table.ts';

export interface TestRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: string | null;
  /** '' is a bare heartbeat, null an end. */
  readonly value: string | null;
  readonly headers?: readonly RecordHeader[];
  readonly logAppendTime?: boolean;
}

const NO_BYTES = new Uint8Array(0);
const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder();
export const bytes = (value: string): Uint8Array => utf8.encode(value);
export const text = (value: Uint8Array): string => utf8Reader.decode(value);

/**
 * Walks test records as a fetch answer would be walked: out of one buffer, unpacked in groups of up to `groupMax`. Their headers are
 * told apart from their bytes alone where `headersInBytes` is false.
 */
export class ListCursor implements RecordCursor {
  readonly #records: readonly TestRecord[];
  readonly #groupMax: number;
  readonly #starts: readonly number[];
  readonly #ends: readonly number[];
  #at = -1;
  readonly bytes: Uint8Array;
  readonly group: KeyGroup & { count: number } = {
    count: 0,
    starts: new Int32Array(KEY_GROUP_MAX),
    lengths: new Int32Array(KEY_GROUP_MAX),
    valueStarts: new Int32Array(KEY_GROUP_MAX),
    valueLengths: new Int32Array(KEY_GROUP_MAX),
    headersStarts: new Int32Array(KEY_GROUP_MAX),
    headersEnds: new Int32Array(KEY_GROUP_MAX),
    offsetDeltas: new Int32Array(KEY_GROUP_MAX),
  };
  groupIndex = -1;
  batchLeaderEpoch = 4;

  constructor(records: readonly TestRecord[], groupMax = 1, headersInBytes = true) {
    this.#records = [...records];
    this.#groupMax = groupMax;
    const contents = records.map(({ key, value, headers = [] }) => [
      bytes(`#${key ?? ''}${value ?? ''}`),
      headersInBytes ? headerSection(headers) : NO_BYTES,
    ]);
    const lengths = contents.map(([content, section]) => content!.length + section!.length);
    let end = 0;
    this.#ends = lengths.map((length) => (end += length));
    this.#starts = lengths.map((length, i) => this.#ends[i]! - length + 1);
    const all = new Uint8Array(end);
    contents.forEach(([content, section], i) => {
      all.set(content!, this.#starts[i]! - 1);
      all.set(section!, this.#ends[i]! - section!.length);
    });
    this.bytes = all;
  }

  next(): boolean {
    this.#at += 1;
    if (this.#at >= this.#records.length) return false;
    this.groupIndex += 1;
    if (this.groupIndex === this.group.count) this.#nextGroup();
    return true;
  }

  #nextGroup(): void {
    const { group } = this;
    this.groupIndex = 0;
    const first = this.#record;
    const left = this.#records.slice(this.#at, this.#at + this.#groupMax);
    // A group is of one batch: where the broker stamps, it has one time.
    const isOther = (record: TestRecord): boolean =>
      (record.timestamp !== first.timestamp && first.logAppendTime !== false) ||
      record.logAppendTime !== first.logAppendTime;
    const end = left.findIndex(isOther);
    group.count = end < 0 ? left.length : end;
    for (let i = 0; i < group.count; i += 1) {
      const { key, value, offset } = left[i]!;
      group.starts[i] = this.#starts[this.#at + i]!;
      group.lengths[i] = key === null ? -1 : bytes(key).length;
      group.valueStarts[i] = group.starts[i]! + Math.max(0, group.lengths[i]!);
      group.valueLengths[i] = value === null ? -1 : bytes(value).length;
      group.headersStarts[i] = group.valueStarts[i]! + Math.max(0, group.valueLengths[i]!);
      group.headersEnds[i] = this.#ends[this.#at + i]!;
      group.offsetDeltas[i] = offset - first.offset;
    }
  }

  skip(count: number): void {
    this.#at += count;
    this.groupIndex += count;
  }

  get #record(): TestRecord {
    return this.#records[Math.min(this.#at, this.#records.length - 1)]!;
  }
  get keyStart(): number {
    return this.group.starts[this.groupIndex]!;
  }
  get keyLength(): number {
    return this.group.lengths[this.groupIndex]!;
  }
  get valueStart(): number {
    return this.group.valueStarts[this.groupIndex]!;
  }
  get valueLength(): number {
    return this.group.valueLengths[this.groupIndex]!;
  }
  get offset(): number {
    return this.#record.offset;
  }
  get timestamp(): number {
    return this.#record.timestamp;
  }
  get logAppendTime(): boolean {
    return this.#record.logAppendTime ?? true;
  }
  get hasHeaders(): boolean {
    return (this.#record.headers ?? []).length > 0;
  }
  headers(): readonly RecordHeader[] {
    return this.#record.headers ?? [];
  }
  headersOf(index: number): readonly RecordHeader[] {
    return this.#records[this.#at + index - this.groupIndex]?.headers ?? [];
  }
  get position(): number {
    return this.#records.length === 0 ? 0 : this.#record.offset + 1;
  }
  get batchChecksum(): number {
    return 1_000 + this.#record.offset;
  }
  get batchTimestamp(): number {
    return this.#record.timestamp;
  }
}

/** Ends restoring, with all timers armed. */
export function begin(task: PartitionTask, ...restored: Parameters<PartitionTask['resume']>): void {
  task.resume(...restored);
  task.arm(Infinity);
}

/** Takes a block, and applies all that it makes whole. @throws MalformedBytes */
export function applyBlock(restoration: Restoration, block: Uint8Array, offset: number): RestoreStep {
  const step = restoration.take(block, offset);
  while (restoration.applyNext() > 0);
  return step;
}

function groupOfOne(length: number): KeySpans {
  return { count: 1, starts: Int32Array.of(0), lengths: Int32Array.of(length) };
}

/** Slot of a key, or −1. */
export function findKey(table: EntryTable, key: Uint8Array): number {
  const group = groupOfOne(key.length);
  table.lookAhead(key, group);
  return table.findAhead(key, group, 0);
}

export function insertKey(table: EntryTable, key: Uint8Array): number {
  const group = groupOfOne(key.length);
  table.lookAhead(key, group);
  return table.insertAhead(key, group, 0);
}

/** A block that was given back is overwritten, so that a late look at it shows. */
class PoisonedMemory extends ReusedMemory {
  readonly #taken = new WeakSet<ArrayBufferLike>();

  override take(length: number): Uint8Array<ArrayBuffer> {
    const bytes = super.take(length);
    this.#taken.add(bytes.buffer);
    return bytes;
  }

  override giveBack({ buffer }: Uint8Array): void {
    if (this.#taken.has(buffer)) new Uint8Array(buffer).fill(0xee);
  }
}

type TestOptions = Omit<TaskOptions, 'kind'> & Omit<SessionOptions, 'encoder'>;

/** Options of a task with sessions. */
export function options(changes: Partial<TestOptions> = {}): TaskOptions & TestOptions {
  const chosen: TestOptions = {
    partition: 0,
    rules: {
      timeoutMs: 1_000,
      minTimeoutMs: 1,
      maxTimeoutMs: 1e9,
      maxDurationMs: undefined,
      graceMs: 0,
      late: 'deadLetter',
      dedupeEventIds: 4,
      maxSources: 3,
      maxAttributes: 8,
      maxAttributeBytes: 256,
    },
    input: {
      timestampType: 'LogAppendTime',
      maxKeyBytes: 64,
      maxFutureMs: 3_600_000,
      maxLeadMs: 60_000,
      liveWithinMs: 300_000,
    },
    decoder: {
      decode: () => ({ kind: 'bad', reason: 'invalid-json', detail: 'not decoded here' }),
      prepare: () => Promise.resolve(),
    },
    tombstones: true,
    outputTopic: 'output',
    changelog: { blockBytesMax: 512, changelogFactor: 4, unsweptLogBytes: 2_048 },
    takenRowBytesMax: () => 32 * 1024 * 1024,
    deadLetters: { waitingBytesMax: () => 4 * 1024 * 1024, letterBytesMax: 1_048_588 },
    state: { entriesMax: 33_000_000, keyBytesMax: 7 * 2 ** 28, pageBytesMax: 3 * 2 ** 30, stateBytesMax: Infinity },
    tickMs: 10,
    hashSeed: 12345,
    pendingChangesMax: 1e6,
    blockMemory: new PoisonedMemory(0),
    outputBytesMax: () => 1e9,
    owedBytesMax: 1e6,
    ...changes,
  };
  return { ...chosen, kind: sessionKind({ ...chosen, encoder: { encode } }) };
}

/** By their bytes as a text. */
const summaries = new Map<string, SessionSummary>();

function encode(summary: SessionSummary): Uint8Array {
  const { attributes, countsByType, key, ...rest } = summary;
  const encoded = JSON.stringify({ ...rest, key: text(key), texts: [...attributes, ...countsByType] });
  summaries.set(encoded, summary);
  return bytes(encoded);
}

/** The summaries among a cut's outputs, as they were before they were encoded. */
export function closedIn({ outputs }: { readonly outputs: Iterable<OutgoingRecord> }): SessionSummary[] {
  return [...outputs].flatMap(({ value }) => (value === null ? [] : [summaries.get(text(value))!]));
}

export interface Workload {
  readonly seed: number;
  readonly keys: number;
  readonly records: number;
  readonly maxGapMs: number;
}

/** Heartbeats and ends for a few keys, at rising times with jumps. */
export function workload({ seed, keys, records, maxGapMs }: Workload): TestRecord[] {
  const random = seededRandom(seed);
  let timestamp = 1_000_000;
  return Array.from({ length: records }, (_, offset) => {
    timestamp += random.chance(0.05) ? random.below(maxGapMs * 20) : random.below(maxGapMs);
    return { offset, timestamp, key: `key-${random.below(keys)}`, value: random.chance(0.03) ? null : '' };
  });
}

/** As the oracle reads it. */
export function rawOf({ key, value, headers = [], logAppendTime = true, ...record }: TestRecord): RawRecord {
  return {
    ...record,
    headers,
    logAppendTime,
    key: key === null ? null : bytes(key),
    value: value === null ? null : bytes(value),
  };
}

/** `key incarnation reason count first..last closedAt` of every close that the records prove, and what stays open. */
export function fold(records: readonly TestRecord[], timeoutMs: number): { closed: string[]; open: string[] } {
  const { rules, input, partition } = options();
  const { timestampType, maxKeyBytes } = input;
  const naive: PipelineRules = {
    kind: 'session',
    ...rules,
    timeoutMs,
    timestampType,
    maxKeyBytes,
    unheardMs: 0,
    maxHoldMs: 0,
  };
  const { summaries, open } = foldInput(
    records.map((record) => inputRecord(rawOf(record), () => 'bad')),
    { partition, rules: naive },
  );
  const closed = summaries.map(({ incarnation, ...of }) =>
    [
      of['sessionId'],
      incarnation,
      of['reason'],
      of['eventCount'],
      `${String(of['firstOffset'])}..${String(of['lastOffset'])}`,
      of['closedAt'],
    ].join(' '),
  );
  const left = [...open].map(
    ([key, { eventCount, firstOffset, lastOffset, lastSeenAt }]) =>
      `${key} ${eventCount} ${firstOffset}..${lastOffset} ${lastSeenAt}`,
  );
  return { closed: closed.sort(), open: left.sort() };
}

/** No invariant is broken. Cheaper than expect. */
export function hold(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join('\n'));
}
