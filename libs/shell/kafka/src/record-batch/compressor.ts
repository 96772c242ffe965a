import zlib from 'node:zlib';
import { compressFrameSync } from 'lz4-napi';
import { compressSync } from 'snappy';

/** How the records of a batch are packed. Blocks and bare heartbeats are small or dense already: default `none`. */
export type Compression = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';

/** Codes of the batch's attributes (KIP-98; zstd: KIP-110). */
const codes: Readonly<Record<Compression, number>> = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 };

/** A fifth larger than at zlib's default for a third of the CPU time (summaries in JSON, 100 in a batch). */
const GZIP = { level: 1 };
/** As small as at zstd's default, 3, for three fifths of the CPU time (summaries in JSON, 800 in a batch). */
const ZSTD = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } };

/**
 * Below this many bytes zstd and gzip cost as much as a few whole closes: 17 and 11 µs for a call, 6 ns and more for each byte
 * saved, about what a byte costs every replica and reader. The other formats have no such price for a call.
 */
const WORTH_A_CALL_BYTES = 4_096;

/** How to pack a batch of `bytes`: as `wanted`, or not at all where that costs more than it saves. */
export function worthPacking(wanted: Compression, bytes: number): Compression {
  return bytes < WORTH_A_CALL_BYTES && (wanted === 'zstd' || wanted === 'gzip') ? 'none' : wanted;
}

export function compressionCode(compression: Compression): number {
  return codes[compression];
}

/** The record bytes of one batch, packed as one frame of its format; snappy as one block, as librdkafka writes it. */
export function compressRecords(compression: Compression, records: Buffer): Uint8Array {
  switch (compression) {
    case 'none':
      return records;
    case 'gzip':
      return zlib.gzipSync(records, GZIP);
    case 'snappy':
      return compressSync(records);
    case 'lz4':
      return compressFrameSync(records);
    case 'zstd':
      return zlib.zstdCompressSync(records, ZSTD);
  }
}
