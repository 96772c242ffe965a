import { assertSlotOrder, type StoreChanges } from '@flatline/ports';
import type { WriteTransaction } from './lmdb-environment.ts';
import { RowEncoder, RowKey } from './stored-row.ts';

/** Turns changes into puts and removals of one transaction. */
export class RowWriter {
  readonly #nodeKey = new RowKey();
  readonly #encoder = new RowEncoder();

  apply(changes: StoreChanges, transaction: WriteTransaction): void {
    assertSlotOrder(changes);
    const nodeKey = this.#nodeKey;
    for (const slot of changes.removals) {
      nodeKey.slot = slot;
      transaction.remove(nodeKey.bytes);
    }
    for (const place of changes.puts) {
      nodeKey.slot = place.slot;
      transaction.put(nodeKey.bytes, this.#encoder.encode(nodeKey, place));
    }
    this.#encoder.release();
  }
}
