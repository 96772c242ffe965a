import zlib from 'node:zlib';
import { compressFrameSync } from 'lz4-napi';
import { compressSync } from 'snappy';

/** How the records of a batch are packed. Blocks and bare heartbeats are small or dense already: default `none`. */
export type Compression = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';

/** Codes of the batch's attributes (KIP-98; zstd: KIP-110). */
const codes: Readonly<Record<Compression, number>> = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 };

/** A fifth larger than at zlib's default for a third of the CPU time (summaries in JSON, 100 in a batch). */
const GZIP = { level: 1 };

/**
 * Below so many bytes zstd and gzip cost what a few closes cost in all, whatever the batch holds: 17 and 11 µs in a call, 6 ns
 * and more for each byte that is saved, which in every replica and reader costs about as much. The others have no such price.
 */
const WORTH_A_CALL_BYTES = 4_096;

/** How to pack a batch of `bytes` for which `wanted` is configured: not, where that costs more than it saves. */
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
      return zlib.zstdCompressSync(records);
  }
}
