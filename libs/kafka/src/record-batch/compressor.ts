import zlib from 'node:zlib';
import { compressFrameSync } from 'lz4-napi';

/** How the records of a batch are packed. Blocks and bare heartbeats are small or dense already: default `none`. */
export type Compression = 'none' | 'lz4' | 'zstd';

/** Codes of the batch's attributes (KIP-98; zstd: KIP-110). */
const codes: Readonly<Record<Compression, number>> = { none: 0, lz4: 3, zstd: 4 };

export function compressionCode(compression: Compression): number {
  return codes[compression];
}

/** The record bytes of one batch, packed as one frame of its format. */
export function compressRecords(compression: Compression, records: Buffer): Uint8Array {
  switch (compression) {
    case 'none':
      return records;
    case 'lz4':
      return compressFrameSync(records);
    case 'zstd':
      return zlib.zstdCompressSync(records);
  }
}
