import { describe, expect, test } from '@jest/globals';
import { compressFrameSync } from 'lz4-napi';
import zlib from 'node:zlib';
import { compressSync } from 'snappy';
import { unpack } from './unpack.ts';

const MOST = 100_000;
const sound = Buffer.from('a record and another '.repeat(100));
const large = Buffer.alloc(MOST + 1);

/** As snappy-java writes it: a header, and blocks behind their lengths; here two streams, one appended to the other. */
function xerial(...streams: readonly (readonly Buffer[])[]): Buffer {
  const header = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
  const block = (bytes: Buffer): Buffer => {
    const packed = compressSync(bytes);
    const length = Buffer.alloc(4);
    length.writeInt32BE(packed.length);
    return Buffer.concat([length, packed]);
  };
  return Buffer.concat(streams.flatMap((blocks) => [header, ...blocks.map(block)]));
}

const PACKED: readonly (readonly [name: string, code: number, pack: (bytes: Buffer) => Uint8Array])[] = [
  ['gzip', 1, (bytes) => zlib.gzipSync(bytes)],
  ['snappy', 2, (bytes) => compressSync(bytes)],
  ['snappy-java', 2, (bytes) => xerial([bytes.subarray(0, 700), bytes.subarray(700, 900)], [bytes.subarray(900)])],
  ['lz4', 3, (bytes) => compressFrameSync(bytes)],
  ['zstd', 4, (bytes) => zlib.zstdCompressSync(bytes)],
];

describe('what a batch was packed by', () => {
  test.each(PACKED)('[I1] %s is unpacked, up to a bound; what is damaged is refused', (_name, code, pack) => {
    // Within a larger buffer, as batches are.
    const packed = Buffer.concat([Buffer.from('?'), pack(sound), Buffer.from('?')]).subarray(1, -1);
    expect(Buffer.from(unpack(code, packed, MOST)).equals(sound)).toBe(true);
    expect(() => unpack(code, pack(large), MOST)).toThrow();
    expect(() => unpack(code, packed.subarray(0, packed.length - 5), MOST)).toThrow();
  });

  test('a number that names none is refused', () => {
    expect(() => unpack(5, sound, MOST)).toThrow('compression 5 is not known');
  });
});
