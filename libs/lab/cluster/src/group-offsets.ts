// The offsets that groups have committed, and those pending in transactions.
//
// Owns: both.
// Does not own: when a transaction is decided (TransactionCoordinator).
import type { GroupOffset, TopicPartition } from '@flatline/ports';

const slot = (group: string, { topic, partition }: TopicPartition): string => `${group}/${topic}/${partition}`;

export class GroupOffsets {
  readonly #committed = new Map<string, GroupOffset>();
  /** Told of each as it is committed, by a transaction or a member. */
  onCommitted: ((offset: GroupOffset) => void) | undefined;
  readonly #pending = new Map<number, GroupOffset[]>();

  committed(group: string, partition: TopicPartition): GroupOffset | undefined {
    return this.#committed.get(slot(group, partition));
  }

  /** OffsetCommit: visible at once. */
  commit(offset: GroupOffset): void {
    this.#committed.set(slot(offset.group, offset), offset);
    this.onCommitted?.(offset);
  }

  /** To be called when the group is deleted, or its offsets have expired. */
  forget(group: string): void {
    for (const each of this.#committed.keys()) if (each.startsWith(`${group}/`)) this.#committed.delete(each);
  }

  /** TxnOffsetCommit: visible when the producer's transaction commits. */
  hold(producerId: number, offsets: readonly GroupOffset[]): void {
    this.#pending.set(producerId, [...(this.#pending.get(producerId) ?? []), ...offsets]);
  }

  /** The offsets pending in this producer's transaction. */
  held(producerId: number): readonly GroupOffset[] {
    return this.#pending.get(producerId) ?? [];
  }

  /** To be called when the marker has reached the offsets topic. */
  resolve(producerId: number, committed: boolean): void {
    const offsets = this.#pending.get(producerId) ?? [];
    this.#pending.delete(producerId);
    if (!committed) return;
    for (const offset of offsets) this.commit(offset);
  }
}
