// Fixture for tests on a real broker: a clock, connections that are closed again, topics, and an independent reader.
import { afterAll } from '@jest/globals';
import { type Clock } from '@flatline/base';
import kafkajs from 'kafkajs';
import { decompressFrameSync } from 'lz4-napi';
import { uncompressSync } from 'snappy';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import zlib from 'node:zlib';
import { KafkaLogAdmin } from './admin/kafka-log-admin.ts';
import { KafkaTopicAdmin } from './admin/kafka-topic-admin.ts';
import {
  ApiKey,
  type KafkaConnection,
  type KafkaOptions,
  openCluster,
  ProtocolReader,
  ProtocolWriter,
} from './connection/index.ts';

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs).unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

const opened: { close(): void }[] = [];
afterAll(() => {
  for (const connection of opened) connection.close();
});

export const clusterOptions: KafkaOptions = {
  brokers: (process.env['KAFKA_BROKERS'] ?? '').split(','),
  clientId: 'flatline-tests',
  clock: systemClock,
};

/** Closes it when the file's tests are over. */
export function closing<T extends { close(): void }>(connection: T): T {
  opened.push(connection);
  return connection;
}

export function connect(): KafkaConnection {
  return closing(openCluster(clusterOptions));
}

/** Unique among test files, which share one broker. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomUUID()}`;
}

/** A new topic whose partitions all have leaders that answer. */
export async function createTopic(
  connection: KafkaConnection,
  partitions = 1,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const topic = uniqueName('topic');
  const options = { clock: systemClock, connection };
  await new KafkaTopicAdmin(options).createTopics([{ topic, partitions, replicationFactor: 1, settings }]);
  const admin = new KafkaLogAdmin(options);
  for (let partition = 0; partition < partitions; partition += 1) await admin.ends({ topic, partition });
  return topic;
}

export interface ReadRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: string | null;
  readonly value: string | null;
  /** Text as hexadecimal digits; null where the header has no value. */
  readonly headers: Readonly<Record<string, string | null>>;
}

interface KafkaJsBatch {
  readonly inTransaction: boolean;
  readonly isControlBatch: boolean;
  readonly producerId: string;
  readonly firstOffset: string;
  readonly lastOffsetDelta: number;
  readonly records: readonly {
    readonly offset: string;
    readonly timestamp: string;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: Readonly<Record<string, Buffer | null>>;
  }[];
}

interface KafkaJsDecoder {
  readonly buffer: Buffer;
}

const require = createRequire(import.meta.url);
const Decoder = require('kafkajs/src/protocol/decoder.js') as new (bytes: Buffer) => KafkaJsDecoder;
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder.js') as (
  decoder: KafkaJsDecoder,
) => Promise<KafkaJsBatch>;

const { CompressionCodecs, CompressionTypes } = kafkajs;
CompressionCodecs[CompressionTypes.LZ4] = codec(decompressFrameSync);
CompressionCodecs[CompressionTypes.Snappy] = codec((bytes) => uncompressSync(bytes) as Buffer);
CompressionCodecs[CompressionTypes.ZSTD] = codec((bytes) => zlib.zstdDecompressSync(bytes));

const FETCH_BYTES = 50_000_000;
const FETCH_WAIT_MS = 10;
const READ_COMMITTED = 1;

/**
 * All records of a partition once its transactions are decided, those of aborted ones left out. Naive and slow, and made
 * of other parts than the product's reader: kafkajs' decoder, and markers followed one by one.
 */
export async function readCommitted(
  connection: KafkaConnection,
  topic: string,
  partition = 0,
): Promise<readonly ReadRecord[]> {
  const open = new Map<string, ReadRecord[]>();
  const committed: ReadRecord[] = [];
  for (const batch of await fetchBatches(connection, topic, partition)) {
    const records = batch.records.map(readable);
    const held = open.get(batch.producerId) ?? [];
    if (batch.isControlBatch) {
      // Marker key: version, then 1 for commit and 0 for abort.
      if (batch.records[0]!.key!.readInt16BE(2) === 1) committed.push(...held);
      open.delete(batch.producerId);
    } else if (batch.inTransaction) open.set(batch.producerId, [...held, ...records]);
    else committed.push(...records);
  }
  return committed.sort((a, b) => a.offset - b.offset);
}

/** Bytes of a partition's batches as the broker keeps them. */
export async function storedBytes(connection: KafkaConnection, topic: string, partition = 0): Promise<number> {
  const { nodeId } = await connection.leader({ topic, partition });
  return (await fetchFrom(connection, nodeId, { topic, partition, offset: 0 })).records.length;
}

/** Every batch, as kafkajs decodes it, once no transaction is open: markers are written after EndTxn is answered. */
async function fetchBatches(
  connection: KafkaConnection,
  topic: string,
  partition: number,
): Promise<readonly KafkaJsBatch[]> {
  const { nodeId } = await connection.leader({ topic, partition });
  const batches: KafkaJsBatch[] = [];
  for (let offset = 0; ;) {
    const { records, lastStableOffset, highWatermark } = await fetchFrom(connection, nodeId, {
      topic,
      partition,
      offset,
    });
    const answer = await splitBatches(records);
    batches.push(...answer);
    const last = answer.at(-1);
    if (last !== undefined) offset = Number(last.firstOffset) + last.lastOffsetDelta + 1;
    if (offset === highWatermark && lastStableOffset === highWatermark) return batches;
  }
}

async function splitBatches(records: Buffer): Promise<KafkaJsBatch[]> {
  const batches: KafkaJsBatch[] = [];
  for (let at = 0; at + 12 <= records.length;) {
    const end = at + 12 + records.readInt32BE(at + 8);
    // The broker cuts the last batch off at the size asked for.
    if (end > records.length) break;
    batches.push(await decodeBatch(new Decoder(records.subarray(at, end))));
    at = end;
  }
  return batches;
}

function fetchFrom(
  connection: KafkaConnection,
  nodeId: number,
  { topic, partition, offset }: { topic: string; partition: number; offset: number },
): Promise<{ readonly records: Buffer; readonly lastStableOffset: number; readonly highWatermark: number }> {
  const body = new ProtocolWriter().int32(-1).int32(FETCH_WAIT_MS).int32(1).int32(FETCH_BYTES).int8(READ_COMMITTED);
  body.int32(1).string(topic).int32(1).int32(partition).int64(offset).int32(FETCH_BYTES);
  const request = { apiKey: ApiKey.fetch, apiVersion: 4, apiName: 'Fetch', body: body.finish() };
  return connection.send(nodeId, request, (payload) => {
    const reader = new ProtocolReader(payload);
    // Throttle time, one topic, one partition.
    reader.advance(8);
    reader.string();
    reader.advance(8);
    const code = reader.int16();
    if (code !== 0) throw new Error(`fetching ${topic}/${partition} failed with code ${code}`);
    const highWatermark = reader.int64();
    const lastStableOffset = reader.int64();
    reader.array((item) => item.advance(16));
    return { records: reader.nullableBytes() ?? Buffer.alloc(0), lastStableOffset, highWatermark };
  });
}

function codec(decompress: (bytes: Buffer) => Buffer): () => unknown {
  return () => ({ compress: unwanted, decompress: (bytes: Buffer) => Promise.resolve(decompress(bytes)) });
}

function unwanted(): never {
  throw new Error('the fixture only reads');
}

function readable(record: KafkaJsBatch['records'][number]): ReadRecord {
  return {
    offset: Number(record.offset),
    timestamp: Number(record.timestamp),
    key: record.key?.toString() ?? null,
    value: record.value?.toString() ?? null,
    headers: Object.fromEntries(
      Object.entries(record.headers).map(([name, value]) => [name, value?.toString('hex') ?? null]),
    ),
  };
}
