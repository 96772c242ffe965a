// Unpacks the records of a batch with the libraries alone: the product's own reader of batches would share its faults.
import zlib from 'node:zlib';
import type { Unpack } from '@flatline/oracle';
import { decompressFrameSync } from 'lz4-napi';
import { uncompressSync } from 'snappy';

/** By the number in the batch's attributes. */
const CODECS: readonly (((packed: Buffer, mostBytes: number) => Uint8Array) | undefined)[] = [
  undefined,
  (packed, mostBytes) => zlib.gunzipSync(packed, { maxOutputLength: mostBytes }),
  (packed) => Buffer.concat(snappyBlocks(packed).map((block) => uncompressSync(block, { asBuffer: true }) as Buffer)),
  (packed) => decompressFrameSync(packed),
  (packed, mostBytes) => zlib.zstdDecompressSync(packed, { maxOutputLength: mostBytes }),
];

export const unpack: Unpack = (code, packed, mostBytes) => {
  const codec = CODECS[code];
  if (codec === undefined) throw new Error(`compression ${code} is not known`);
  const unpacked = codec(Buffer.from(packed.buffer, packed.byteOffset, packed.length), mostBytes);
  if (unpacked.length > mostBytes) throw new Error(`unpacks to more than ${mostBytes} bytes`);
  return unpacked;
};

/** snappy-java's stream: this, a version and the oldest compatible one, then blocks, each behind its length. */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;

/** Blocks of a stream; bytes that are no stream are one block. */
function snappyBlocks(packed: Buffer): Buffer[] {
  const isStream = (bytes: Buffer): boolean =>
    bytes.length >= XERIAL_HEADER_BYTES && bytes.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC);
  if (!isStream(packed)) return [packed];
  const blocks: Buffer[] = [];
  for (let rest = packed; rest.length > 0;) {
    // Streams may have been appended to each other.
    if (isStream(rest)) rest = rest.subarray(XERIAL_HEADER_BYTES);
    else {
      const end = 4 + rest.readInt32BE(0);
      if (end < 4 || end > rest.length) throw new Error('a snappy block is cut off');
      blocks.push(rest.subarray(4, end));
      rest = rest.subarray(end);
    }
  }
  return blocks;
}
