// The tokens granted so far, as holders learn of them from the output.
//
// Owns: the position up to which the output has been read.
// Does not own: which of the tokens are valid.
import type { SimulatedLog } from '@flatline/cluster';
import { OUTPUT } from '../worlds/topics.ts';
import { textIn } from '../worlds/simulated-kind.ts';

export class GrantedTokens {
  readonly #log: SimulatedLog;
  /** By partition: number of batches read. */
  readonly #read: number[] = [];
  readonly #tokens = new Map<string, number[]>();

  constructor(log: SimulatedLog) {
    this.#log = log;
  }

  /** The latest last. Includes those of aborted transactions: a zombie may have one. */
  of(key: string): readonly number[] {
    for (let partition = 0; partition < this.#log.partitionsOf(OUTPUT); partition += 1) this.#readOn(partition);
    return this.#tokens.get(key) ?? [];
  }

  #readOn(partition: number): void {
    const batches = this.#log.batches(OUTPUT, partition);
    const fresh = batches.slice(this.#read[partition] ?? 0);
    this.#read[partition] = batches.length;
    for (const { key, value } of fresh.flatMap(({ records }) => records))
      if (value !== null) this.#note(textIn(key), JSON.parse(textIn(value)) as { type: string; token?: number });
  }

  #note(key: string, { type, token }: { readonly type: string; readonly token?: number }): void {
    if (type === 'GRANTED') this.#tokens.set(key, [...(this.#tokens.get(key) ?? []), token!]);
  }
}
