// Bytes that the readers of one kind in a process have fetched and not yet handed on, and the memory for them: pipelines share a
// bound instead of multiplying it (X6).
//
// Owns: memory that waits for answers to come.
// Does not own: what is buffered (PartitionSubscription), the bound (ReaderLimits).
//
// Invariants
//   FB1  But for a fetch of each partition, readers hold less than twice the bound together; each may hold an equal share of
//        it, however much the others do.
import { ReusedMemory } from '@flatline/base';

/** Upper bound on memory that is kept for answers to come. */
const FREE_ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export interface Buffering {
  readonly bufferedBytes: number;
}

export class ReaderBuffers {
  readonly memory = new ReusedMemory(FREE_ANSWER_BYTES_MAX);
  readonly #readers = new Set<Buffering>();

  join(reader: Buffering): void {
    this.#readers.add(reader);
  }

  leave(reader: Buffering): void {
    this.#readers.delete(reader);
  }

  /** True if it may hold more than it must (FB1). */
  hasRoom({ bufferedBytes: own }: Buffering, bytesMax: number): boolean {
    if (own < bytesMax / this.#readers.size) return true;
    let bytes = 0;
    for (const { bufferedBytes } of this.#readers) bytes += bufferedBytes;
    return bytes < bytesMax;
  }
}
