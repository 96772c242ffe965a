// Summaries that wait for the tombstone of their incarnation, where only final ones are asked for (S9).
//
// Owns: the newest summary of each incarnation that may still be revised.
// Does not own: positions: the group stands no further than the oldest that waits, or a crash would lose it (CS1).
import { Misconfigured } from '@flatline/base';
import type { RawOutput, TombstoneRecord } from './output-record.ts';

/** Upper bound on the bytes of summaries that wait in one reading: keys, values, and what they take in memory besides. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024;
/** Memory of one beside its key and value: it is decoded, too. */
const EACH_BYTES = 1_000;

interface Waiting<Given> {
  readonly given: Given;
  readonly offset: number;
  readonly bytes: number;
}

export class WaitingSummaries<Given extends { readonly raw: RawOutput }> {
  /** By partition, then by incarnation, in the order of their offsets. */
  readonly #partitions = new Map<number, Map<string, Waiting<Given>>>();
  readonly #topic: string;
  readonly #bytesMax: number;
  #bytes = 0;

  /** `bytesMax`: of tests. */
  constructor(topic: string, bytesMax = WAITING_BYTES_MAX) {
    this.#topic = topic;
    this.#bytesMax = bytesMax;
  }

  /** In place of an earlier one of the incarnation. @throws Misconfigured where too many wait */
  keep(incarnation: string, given: Given): void {
    const { partition, offset, key, value } = given.raw;
    const waiting = this.#of(partition);
    this.#remove(waiting, incarnation);
    const bytes = EACH_BYTES + (key?.length ?? 0) + 2 * (value?.length ?? 0);
    waiting.set(incarnation, { given, offset, bytes });
    this.#bytes += bytes;
    if (this.#bytes > this.#bytesMax) throw new Misconfigured(this.#tooMany(partition));
  }

  /** The last summary of what the tombstone ends; undefined: it was given before this reading began. */
  take({ partition, incarnation }: TombstoneRecord): Given | undefined {
    const waiting = this.#partitions.get(partition);
    return waiting === undefined || incarnation === undefined ? undefined : this.#remove(waiting, incarnation)?.given;
  }

  /** The offset of the oldest that waits in the partition. */
  oldest(partition: number): number | undefined {
    return this.#partitions.get(partition)?.values().next().value?.offset;
  }

  forget(partition: number): void {
    for (const { bytes } of this.#partitions.get(partition)?.values() ?? []) this.#bytes -= bytes;
    this.#partitions.delete(partition);
  }

  #of(partition: number): Map<string, Waiting<Given>> {
    const known = this.#partitions.get(partition);
    if (known !== undefined) return known;
    const waiting = new Map<string, Waiting<Given>>();
    this.#partitions.set(partition, waiting);
    return waiting;
  }

  #remove(waiting: Map<string, Waiting<Given>>, incarnation: string): Waiting<Given> | undefined {
    const found = waiting.get(incarnation);
    if (found === undefined) return undefined;
    waiting.delete(incarnation);
    this.#bytes -= found.bytes;
    return found;
  }

  #tooMany(partition: number): string {
    const count = [...this.#partitions.values()].reduce((sum, { size }) => sum + size, 0);
    const oldest = `${partition}-${this.oldest(partition)!}`;
    return (
      `${count} summaries of topic ${this.#topic} wait for their tombstones, more than ${this.#bytesMax} bytes (the oldest of ` +
      `this partition is at ${oldest}): a pipeline with output.tombstones: false says none, so read it with view: 'all'; ` +
      "else share the topic out among more consumers, or lower the pipeline's revisionWindowMs"
    );
  }
}
