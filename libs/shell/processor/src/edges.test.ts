// Whatever the codec accepts has to survive everything that a processor writes: image, block, local store, summary.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { INSTANT_MAX, ReusedMemory } from '@flatline/base';
import type { RegisteredSchema, SchemaRegistry } from '@flatline/records';
import { EventFormats, openEventEncoder, type OutgoingEvent } from '@flatline/records/events';
import { openSummaryEncoder, SummaryFormats } from '@flatline/records/summaries';
import { resolveConfiguration } from '@flatline/config';
import { DURATION_MAX_MS } from '@flatline/kind-modules/form';
import { systemClock } from '@flatline/system';
import { LmdbStores } from '@flatline/store';
import { sessionKind, type SessionRules } from '@flatline/kinds/session';
import type { SessionSummary } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask, Restoration, type TaskCut, type TaskOptions } from '@flatline/partition';
import type { KeyGroup, RecordCursor } from '@flatline/ports';
import fc from 'fast-check';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

const RUNS = Number(process.env['FLATLINE_FUZZ_RUNS'] ?? 200);
const SEED = process.env['FUZZ_SEED'];
const SAFE_MAX = 2 ** 53 - 1;
const WALL = 1_800_000_000_000;
const KEY_BYTES_MAX = 65_535;

/** Ids in the order of asking. */
class Registry implements SchemaRegistry {
  readonly name = 'memory';
  readonly #schemas: RegisteredSchema[] = [];

  schemaById(id: number): Promise<RegisteredSchema | undefined> {
    return Promise.resolve(this.#schemas[id - 1]);
  }

  schemaId(_subject: string, schema: string): Promise<number> {
    return Promise.resolve(this.#schemas.push({ schema, schemaType: 'AVRO' }));
  }

  check(): Promise<void> {
    return Promise.resolve();
  }
}

interface Sent {
  readonly key: Uint8Array;
  readonly event: OutgoingEvent;
  readonly asAvro: boolean;
}

const edges = (most: number): fc.Arbitrary<number> =>
  fc
    .oneof(
      fc.constantFrom(
        0,
        1,
        63,
        64,
        127,
        128,
        2 ** 31 - 1,
        2 ** 31,
        2 ** 32 - 1,
        2 ** 32,
        2 ** 52 - 1,
        2 ** 52,
        SAFE_MAX - 64,
        SAFE_MAX,
        most - 1,
        most,
      ),
      fc.nat({ max: most }),
    )
    .filter((value) => value <= most);

/** The empty one, short ones, hostile ones, and the longest. */
const textUpTo = (most: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('', '__proto__', '\u0000', '\uFEFFa', '🎈', '"\\\n').filter(({ length }) => length <= most),
    fc.string({ unit: 'binary', maxLength: Math.min(most, 12) }).filter((text) => text.isWellFormed()),
    fc.constantFrom('x'.repeat(most), 'ü'.repeat(most), '\uFFFF'.repeat(most)),
  );
const nonEmpty = (most: number): fc.Arbitrary<string> =>
  textUpTo(most).filter(({ length }) => length > 0 && length <= most);

const anyEvent: fc.Arbitrary<OutgoingEvent> = fc.record(
  {
    type: fc.oneof(fc.constantFrom('HEARTBEAT', 'STARTED', 'STARTED', 'ENDED'), nonEmpty(64)),
    occurredAt: edges(INSTANT_MAX),
    eventId: nonEmpty(256),
    sequence: edges(SAFE_MAX),
    timeoutMs: edges(SAFE_MAX).map((value) => Math.max(1, value)),
    attributes: fc.array(fc.tuple(textUpTo(300), textUpTo(9_000)), { maxLength: 4 }).map((entries) => new Map(entries)),
  },
  { requiredKeys: [] },
);
const anyKey = fc
  .constantFrom('a', 'b', '', 'k'.repeat(511), 'k'.repeat(KEY_BYTES_MAX), '\uFFFD')
  .map((key) => Buffer.from(key));
const anySent: fc.Arbitrary<Sent> = fc.record({ key: anyKey, event: anyEvent, asAvro: fc.boolean() });
/** Stamps that a producer may give a batch: milliseconds, nanoseconds, Long.MIN, Long.MAX. */
const anyStamp = fc.constantFrom(WALL, -1, 0, 2 ** 52, SAFE_MAX, WALL * 1e6, -(2 ** 63), 2 ** 63);

interface Stamped {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array;
  readonly stamp: number;
}

/** One record at a time, each in a batch of its own. */
class SentCursor implements RecordCursor {
  readonly #records: readonly Stamped[];
  readonly #first: number;
  #at = -1;
  bytes = new Uint8Array();
  readonly batchLeaderEpoch = 3;
  readonly batchChecksum = 2 ** 32 - 1;
  readonly keyStart = 0;
  readonly hasHeaders = false;
  readonly groupIndex = 0;
  readonly group: KeyGroup = {
    count: 1,
    starts: new Int32Array(1),
    lengths: new Int32Array(1),
    offsetDeltas: new Int32Array(1),
    valueStarts: new Int32Array(1),
    valueLengths: new Int32Array(1),
    headersStarts: new Int32Array(1),
    headersEnds: new Int32Array(1),
  };

  constructor(first: number, records: readonly Stamped[]) {
    this.#first = first;
    this.#records = records;
  }

  next(): boolean {
    this.#at += 1;
    const record = this.#records[this.#at];
    if (record === undefined) return false;
    this.bytes = Buffer.concat([record.key ?? Buffer.alloc(0), record.value]);
    const { lengths, valueStarts, valueLengths } = this.group;
    lengths[0] = this.keyLength;
    valueStarts[0] = this.valueStart;
    valueLengths[0] = this.valueLength;
    return true;
  }
  skip(): never {
    throw new Error('nothing follows in a group of one');
  }
  get #record(): Stamped {
    return this.#records[Math.min(this.#at, this.#records.length - 1)]!;
  }
  get offset(): number {
    return this.#first + Math.min(this.#at, this.#records.length - 1);
  }
  get timestamp(): number {
    return this.#record.stamp;
  }
  readonly logAppendTime = false;
  get keyLength(): number {
    return this.#record.key?.length ?? -1;
  }
  get valueStart(): number {
    return Math.max(0, this.keyLength);
  }
  get valueLength(): number {
    return this.#record.value.length;
  }
  headers(): [] {
    return [];
  }
  headersOf(): [] {
    return [];
  }
  get position(): number {
    return this.offset + 1;
  }
  get batchTimestamp(): number {
    return this.#record.stamp;
  }
}

/** Where a sync costs nothing, if there is such a place. */
const directory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'flatline-edges-'));
let stores: LmdbStores;
let opened = 0;
let codec: Awaited<ReturnType<typeof openCodec>>;

async function openCodec() {
  const registry = new Registry();
  const options = { format: 'auto', registry, clock: systemClock } as const;
  const decoder = new EventFormats(options);
  const summaries = new SummaryFormats(options);
  const events = {
    json: await openEventEncoder('json', 'input', undefined),
    avro: await openEventEncoder('avro', 'input', registry),
  };
  const outputs = [
    await openSummaryEncoder('json', 'output', undefined),
    await openSummaryEncoder('avro', 'output', registry),
  ];
  for (const id of [1, 2]) await Promise.all([decoder.prepare(id), summaries.prepare(id)]);
  return { decoder, summaries, events, outputs };
}

beforeAll(async () => {
  stores = LmdbStores.open({ stateDir: directory, application: 'edges', pipeline: 'p' });
  codec = await openCodec();
});

afterAll(async () => {
  await stores.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The summary that each output was encoded from, by its bytes as a text. */
const encodedFrom = new Map<string, SessionSummary>();

function encode(summary: SessionSummary): Uint8Array {
  const bytes = codec.outputs[0]!.encode(summary);
  encodedFrom.set(Buffer.from(bytes).toString('latin1'), summary);
  return bytes;
}

function closedIn({ outputs }: TaskCut): SessionSummary[] {
  return [...outputs].flatMap(({ value }) =>
    value === null ? [] : [encodedFrom.get(Buffer.from(value).toString('latin1'))!],
  );
}

/** All that an operator may allow. */
function widestRules(): SessionRules {
  const most = { dedupeEventIds: 1_024, maxSources: 64, maxAttributes: 1_024, maxAttributeBytes: 65_536 };
  const topics = { input: { topic: 'in' }, output: { topic: 'output' } };
  const visits = {
    name: 'visits',
    kind: 'session',
    timeoutMs: 60_000,
    maxTimeoutMs: DURATION_MAX_MS,
    ...most,
    ...topics,
  };
  const file = { application: 'shop', brokers: ['b:1'], pipelines: [visits] };
  const [pipeline] = resolveConfiguration(file, { source: 'test', folder: '/', environment: {} }).pipelines;
  if (pipeline?.kind !== 'session') throw new Error('not a pipeline of sessions');
  return pipeline.rules;
}

function newTask(hashSeed: number): PartitionTask {
  const options: TaskOptions = {
    partition: 2 ** 31 - 1,
    kind: sessionKind({
      rules: widestRules(),
      decoder: codec.decoder,
      encoder: { encode },
      tombstones: true,
      outputTopic: 'output',
    }),
    input: {
      timestampType: 'CreateTime',
      maxKeyBytes: KEY_BYTES_MAX,
      maxFutureMs: DURATION_MAX_MS,
      maxLeadMs: DURATION_MAX_MS,
      liveWithinMs: 300_000,
    },
    changelog: { blockBytesMax: 4_096, changelogFactor: 4, unsweptLogBytes: 1e6 },
    takenRowBytesMax: () => 1e6,
    deadLetters: { waitingBytesMax: () => 1e6, letterBytesMax: 1e6 },
    state: { entriesMax: 1e6, keyBytesMax: 1e9, pageBytesMax: 1e9, stateBytesMax: Infinity },
    tickMs: 10,
    hashSeed,
    blockMemory: new ReusedMemory(0),
    pendingChangesMax: 1e6,
    outputBytesMax: () => 1e9,
    owedBytesMax: 1e6,
  };
  return new PartitionTask(options);
}

const ids = {
  logId: 'log',
  owner: 'me',
  commitId: 'run-1',
  sequence: 0,
  previousCommitId: '',
  inputPartitions: 2 ** 31 - 1,
};
const FIRST_OFFSET = SAFE_MAX - 1_000;
const BLOCK_OFFSET = SAFE_MAX - 2_000;

/** Everything closes, and nothing is refused but what is stamped as no instant is. */
function summariesOf(task: PartitionTask): readonly SessionSummary[] {
  const evidence = { key: null, value: Buffer.alloc(0), stamp: WALL + DURATION_MAX_MS };
  task.step(new SentCursor(FIRST_OFFSET + 900, [evidence]), 1, WALL);
  while (task.expire(100, WALL));
  const cut = task.cut({ ...ids, commitId: 'run-2', sequence: 1, previousCommitId: 'run-1' });
  return closedIn(cut).sort((a, b) => a.firstOffset - b.firstOffset);
}

function fromLog(cut: TaskCut): PartitionTask {
  const task = newTask(7);
  const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
  cut.blocks.forEach(({ bytes }, part) => {
    restoration.take(bytes.slice(), BLOCK_OFFSET + part);
    while (restoration.applyNext() > 0);
  });
  expect(restoration.finish()).toBeUndefined();
  const { clock, inputs } = restoration.last!;
  task.resume(clock, inputs[0]!, restoration.last);
  task.arm(Infinity);
  return task;
}

async function fromStore(owner: PartitionTask, cut: TaskCut): Promise<PartitionTask> {
  owner.settle(
    cut,
    cut.blocks.map((_, part) => BLOCK_OFFSET + part),
  );
  const partition = opened++;
  const { store } = await stores.open(partition);
  const slices = owner.checkpoints.flush(100)!;
  for (let next = slices.next(); next.done !== true; next = slices.next())
    store.write(next.value.changes, next.value.checkpoint);
  const task = newTask(8);
  const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
  restoration.beginStored(store.state()!.checkpoint);
  for (const group of store.scan()) restoration.loadStored(group);
  restoration.finishStored(Infinity);
  expect(restoration.finish()).toBeUndefined();
  const { clock, inputs } = restoration.last!;
  task.resume(clock, inputs[0]!, restoration.last);
  task.arm(Infinity);
  await store.close();
  return task;
}

/** Jest's own comparison takes a hundred times as long for long keys and texts. */
function same(found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
}

async function survives(sent: readonly Sent[], stamp: number): Promise<void> {
  const owner = newTask(6);
  owner.resume(0, { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 });
  owner.arm(Infinity);
  const records = sent.map(({ key, event, asAvro }, at) => ({
    key,
    stamp: WALL + at,
    value: (asAvro ? codec.events.avro : codec.events.json).encode(event),
  }));
  const refused = { key: null, value: Buffer.alloc(0), stamp };
  expect(owner.step(new SentCursor(FIRST_OFFSET, [...records, refused]), 1_000, WALL).kind).toBe('exhausted');
  const cut = owner.cut(ids);
  expect(cut.deadLetters.map(({ offset }) => offset)).toEqual([FIRST_OFFSET + records.length]);
  const restored = fromLog(cut);
  const closed = closedIn(cut);
  const loaded = await fromStore(owner, cut);
  const expected = summariesOf(owner);
  same(summariesOf(restored), expected);
  same(summariesOf(loaded), expected);
  for (const summary of [...closed, ...expected])
    for (const encoder of codec.outputs)
      same(codec.summaries.decode(encoder.encode(summary)), {
        kind: 'summary',
        summary: { ...summary, key: Buffer.from(summary.key), heldMs: undefined },
      });
}

describe('[I5] at the edges of every range', () => {
  test('[I5][R1] what the codec accepts survives image, block, store and summary (rerun: the printed seed)', async () => {
    await fc.assert(fc.asyncProperty(fc.array(anySent, { minLength: 1, maxLength: 24 }), anyStamp, survives), {
      numRuns: RUNS,
      ...(SEED !== undefined && { seed: Number(SEED) }),
    });
  }, 600_000);

  const key = Buffer.from('k');
  const events = (...list: readonly OutgoingEvent[]): Sent[] => list.map((event) => ({ key, event, asAvro: false }));

  test.each<[string, readonly Sent[], number]>([
    ['an event time of 2^52', events({ occurredAt: 2 ** 52 }), WALL],
    [
      'the last instant, of an attribute, too',
      events({ occurredAt: INSTANT_MAX, attributes: new Map([['a', '']]) }),
      WALL,
    ],
    [
      'more missing than can be counted',
      events(...[0, SAFE_MAX, 0, SAFE_MAX, 0].map((sequence) => ({ type: 'STARTED', sequence }))),
      WALL,
    ],
    ['a batch stamped in nanoseconds', events({}), WALL * 1e6],
    ['a batch stamped Long.MIN', events({}), -(2 ** 63)],
  ])('[I5][R1] %s', async (_what, sent, stamp) => {
    await survives(sent, stamp);
  });
});
