// Builds record batches byte by byte from the text of KIP-98, sharing nothing with the encoder or the cursor.
import zlib from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import { compressFrameSync } from 'lz4-napi';
import { compressSync } from 'snappy';

export type BuiltCompression = 'none' | 'gzip' | 'snappy' | 'xerial' | 'lz4' | 'zstd';

export interface BuiltRecord {
  readonly offsetDelta: number;
  readonly timestampDelta: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers?: readonly { readonly name: string; readonly value: Uint8Array | null }[];
}

export interface BuiltBatch {
  readonly baseOffset: number;
  readonly records: readonly BuiltRecord[];
  /** Default: of the last record; compaction leaves it higher. */
  readonly lastOffsetDelta?: number;
  readonly baseTimestamp?: number;
  readonly greatestTimestamp?: number;
  readonly leaderEpoch?: number;
  readonly compression?: BuiltCompression;
  readonly logAppendTime?: boolean;
  readonly transactional?: boolean;
  readonly control?: boolean;
  readonly producerId?: number;
}

export function buildBatch(batch: BuiltBatch): Buffer {
  const { records, baseOffset, producerId = -1, leaderEpoch = 7, baseTimestamp = 1_000 } = batch;
  const packed = pack(batch.compression ?? 'none', Buffer.concat(records.map(buildRecord)));
  const body = Buffer.concat([
    int16(attributesOf(batch)),
    int32(batch.lastOffsetDelta ?? records.at(-1)?.offsetDelta ?? 0),
    int64(baseTimestamp),
    int64(batch.greatestTimestamp ?? Math.max(...records.map((record) => baseTimestamp + record.timestampDelta))),
    int64(producerId),
    int16(producerId < 0 ? -1 : 0),
    int32(-1),
    int32(records.length),
    packed,
  ]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32c(body));
  return Buffer.concat([
    int64(baseOffset),
    int32(body.length + 9),
    int32(leaderEpoch),
    Buffer.from([2]),
    checksum,
    body,
  ]);
}

/** Updates the checksum in place. */
export function reseal(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}

/** The marker that ends a transaction. */
export function buildMarker(baseOffset: number, producerId: number, kind: 'abort' | 'commit'): Buffer {
  const key = Buffer.from([0, 0, 0, kind === 'abort' ? 0 : 1]);
  const value = Buffer.alloc(6);
  const records = [{ offsetDelta: 0, timestampDelta: 0, key, value }];
  return buildBatch({ baseOffset, records, producerId, transactional: true, control: true });
}

export function bare(offsetDelta: number, key: string): BuiltRecord {
  return { offsetDelta, timestampDelta: offsetDelta, key: Buffer.from(key), value: Buffer.alloc(0) };
}

function attributesOf({ compression, logAppendTime, transactional, control }: BuiltBatch): number {
  const code = { none: 0, gzip: 1, snappy: 2, xerial: 2, lz4: 3, zstd: 4 }[compression ?? 'none'];
  return code | (logAppendTime === true ? 8 : 0) | (transactional === true ? 16 : 0) | (control === true ? 32 : 0);
}

export function pack(compression: BuiltCompression, records: Buffer): Buffer {
  switch (compression) {
    case 'none':
      return records;
    case 'gzip':
      return zlib.gzipSync(records);
    case 'snappy':
      return compressSync(records);
    case 'xerial':
      return packXerial(records);
    case 'lz4':
      return compressFrameSync(records);
    case 'zstd':
      return zlib.zstdCompressSync(records);
  }
}

/** As snappy-java's SnappyOutputStream, with blocks small enough that there are several. */
function packXerial(records: Buffer): Buffer {
  const parts = [Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]), int32(1), int32(1)];
  for (let at = 0; at < records.length; at += 1_000) {
    const block = compressSync(records.subarray(at, at + 1_000));
    parts.push(int32(block.length), block);
  }
  return Buffer.concat(parts);
}

function buildRecord({ offsetDelta, timestampDelta, key, value, headers = [] }: BuiltRecord): Buffer {
  const body = Buffer.concat([
    Buffer.from([0]),
    varint(timestampDelta),
    varint(offsetDelta),
    block(key),
    block(value),
    varint(headers.length),
    ...headers.flatMap((header) => [block(Buffer.from(header.name)), block(header.value)]),
  ]);
  return Buffer.concat([varint(body.length), body]);
}

function block(bytes: Uint8Array | null): Buffer {
  return bytes === null ? varint(-1) : Buffer.concat([varint(bytes.length), bytes]);
}

/** Zigzag of any integer, by way of BigInt: slow and plain. */
function varint(value: number): Buffer {
  const signed = BigInt(value);
  let rest = BigInt.asUintN(64, (signed << 1n) ^ (signed >> 63n));
  const bytes: number[] = [];
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}
