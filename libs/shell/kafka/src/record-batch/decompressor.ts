// Unpacks the records of one batch. Whatever a batch claims, the output stays below a bound (X6).
import zlib from 'node:zlib';
import { MalformedBytes, messageOf } from '@flatline/base';
import { decompressFrameSync } from 'lz4-napi';
import { uncompressSync } from 'snappy';
import { readInt32 } from '../connection/protocol-bytes.ts';

/** Producers cut batches by their unpacked size (1 MiB at most by default); this is what no sane one exceeds. */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

/** It may be sound, and is more than may be held (X6). */
export class UnpacksTooLarge extends MalformedBytes {}

/** `code`: the three low bits of the batch's attributes. @throws MalformedBytes where `packed` is not what it says, UnpacksTooLarge. */
export function unpack(code: number, packed: Buffer, limit: number = UNPACKED_BYTES_MAX): Buffer {
  const codec = codecs[code];
  if (codec === undefined) throw new MalformedBytes(`compression ${code} is not known`);
  try {
    return codec.unpack(packed, limit);
  } catch (error) {
    if (error instanceof MalformedBytes) throw error;
    if (isOverLimit(error)) throw tooLarge(limit);
    throw new MalformedBytes(`cannot unpack ${codec.name}: ${messageOf(error)}`);
  }
}

interface Codec {
  readonly name: string;
  readonly unpack: (packed: Buffer, limit: number) => Buffer;
}

const codecs: readonly (Codec | undefined)[] = [
  undefined,
  { name: 'gzip', unpack: (packed, limit) => zlib.gunzipSync(packed, { maxOutputLength: limit }) },
  { name: 'snappy', unpack: unpackSnappy },
  { name: 'lz4', unpack: unpackLz4 },
  { name: 'zstd', unpack: (packed, limit) => zlib.zstdDecompressSync(packed, { maxOutputLength: limit }) },
];

function refuseAbove(limit: number, size: number): void {
  if (size > limit) throw tooLarge(limit);
}

function tooLarge(limit: number): UnpacksTooLarge {
  return new UnpacksTooLarge(`it unpacks to more than ${limit} bytes`);
}

/** True if zlib stopped at `maxOutputLength`. */
function isOverLimit(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_BUFFER_TOO_LARGE';
}

/** snappy-java's stream header: this magic, a version and the oldest compatible one. Go and C clients write none. */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;

function unpackSnappy(packed: Buffer, limit: number): Buffer {
  if (!startsWithXerialMagic(packed, 0)) return unpackSnappyBlock(packed, limit);
  const blocks: Buffer[] = [];
  let size = 0;
  let at = 0;
  while (at < packed.length) {
    // Appended streams repeat the header.
    if (startsWithXerialMagic(packed, at)) {
      at += XERIAL_HEADER_BYTES;
      continue;
    }
    const length = at + 4 <= packed.length ? readInt32(packed, at) : -1;
    at += 4;
    if (length < 0 || at + length > packed.length) throw new MalformedBytes('a snappy block is cut off');
    const block = unpackSnappyBlock(packed.subarray(at, at + length), limit - size);
    size += block.length;
    blocks.push(block);
    at += length;
  }
  return blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks, size);
}

function startsWithXerialMagic(packed: Buffer, at: number): boolean {
  return packed.length >= at + XERIAL_HEADER_BYTES && packed.compare(XERIAL_MAGIC, 0, 8, at, at + 8) === 0;
}

function unpackSnappyBlock(block: Buffer, limit: number): Buffer {
  refuseAbove(limit, snappyBlockSize(block));
  const unpacked = uncompressSync(block, { asBuffer: true });
  if (typeof unpacked === 'string') throw new MalformedBytes('snappy gave text for bytes');
  return unpacked;
}

/** The unpacked length that a raw snappy block begins with, a little-endian varint. */
function snappyBlockSize(block: Buffer): number {
  let size = 0;
  for (let index = 0; index < 5 && index < block.length; index += 1) {
    const byte = block[index]!;
    size += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return size;
  }
  throw new MalformedBytes('a snappy block has no length');
}

function unpackLz4(packed: Buffer, limit: number): Buffer {
  // By its block headers a frame of many short blocks may seem to unpack to hundreds of times what it does.
  if (lz4FrameSize(packed, blockSizeMax) > limit) refuseAbove(limit, lz4FrameSize(packed, lz4BlockSize));
  return decompressFrameSync(packed);
}

const LZ4_MAGIC = 0x184d2204;
const LZ4_FLAGS_AT = 4;
const LZ4_CONTENT_SIZE_FLAG = 0x08;
const LZ4_BLOCK_CHECKSUM_FLAG = 0x10;
const LZ4_DICTIONARY_FLAG = 0x01;
const LZ4_STORED_BIT = 0x80000000;
const LZ4_MATCH_MIN = 4;
/** Most bytes that one packed byte can become. */
const LZ4_RATIO_MAX = 255;

/** Unpacked size of the packed block from `start` to `end`, where no block of the frame unpacks to more than `most`. */
type BlockSize = (packed: Buffer, start: number, end: number, most: number) => number;

const blockSizeMax: BlockSize = (_packed, start, end, most) => Math.min(most, (end - start) * LZ4_RATIO_MAX);

/** Adds up the lengths of literals and matches (lz4_Block_format.md). What leads out of the block is damage. */
const lz4BlockSize: BlockSize = (packed, start, end, most) => {
  let size = 0;
  for (let at = start; at < end && size <= most;) {
    const token = packed[at++]!;
    let [literals, match] = [token >> 4, token & 0x0f];
    if (literals === 15) [literals, at] = lz4Length(packed, at, end);
    at += literals + 2;
    size += literals;
    // The last sequence has no match.
    if (at >= end) break;
    if (match === 15) [match, at] = lz4Length(packed, at, end);
    size += match + LZ4_MATCH_MIN;
  }
  return size;
};

/** A length of 15 goes on in bytes of 255 and one below. */
function lz4Length(packed: Buffer, start: number, end: number): [length: number, at: number] {
  let length = 15;
  for (let at = start; at < end; at += 1) {
    length += packed[at]!;
    if (packed[at]! < 255) return [length, at + 1];
  }
  throw new MalformedBytes('an lz4 block is cut off');
}

/** Unpacked size of a frame, block by block: its own statement of the content size is optional. */
function lz4FrameSize(packed: Buffer, sizeOf: BlockSize): number {
  if (packed.length < 7 || packed.readUInt32LE(0) !== LZ4_MAGIC) throw new MalformedBytes('no lz4 frame');
  const flags = packed[LZ4_FLAGS_AT]!;
  const blockMax = 2 ** (8 + 2 * ((packed[LZ4_FLAGS_AT + 1]! >> 4) & 0x07));
  const checksum = (flags & LZ4_BLOCK_CHECKSUM_FLAG) === 0 ? 0 : 4;
  let at = 7 + ((flags & LZ4_CONTENT_SIZE_FLAG) === 0 ? 0 : 8) + ((flags & LZ4_DICTIONARY_FLAG) === 0 ? 0 : 4);
  let size = 0;
  while (at + 4 <= packed.length) {
    const header = packed.readUInt32LE(at);
    if (header === 0) return size;
    at += 4;
    const isStored = header >= LZ4_STORED_BIT;
    const length = isStored ? header - LZ4_STORED_BIT : header;
    const end = Math.min(at + length, packed.length);
    size += isStored ? length : sizeOf(packed, at, end, blockMax);
    at += length + checksum;
  }
  throw new MalformedBytes('an lz4 frame is cut off');
}
