// Records for the output, from being decided until a cut takes them.
//
// Owns: the records, encoded; their bytes; the instants as of which entries ended.      Does not own: what they say.
//
// Invariants
//   OB1  In the order in which they were decided, which for each key is the log's.
//   OB2  A record is taken once: with the cut of what brought it about (O1).
import type { Millis } from '@flatline/base';
import type { KindOutput } from '@flatline/kinds';

/** What a record takes in its batch beside key, value and headers: lengths, deltas, and a header's framing. */
const RECORD_OVERHEAD_BYTES = 24;

export class OutputBox {
  #records: KindOutput[] = [];
  #endedAt: Millis[] = [];
  #bytes = 0;

  get count(): number {
    return this.#records.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#records.length === 0 && this.#endedAt.length === 0;
  }

  add(record: KindOutput): void {
    this.#records.push(record);
    this.#bytes += outputBytes(record);
  }

  /** An entry has ended as of `at`. */
  ended(at: Millis): void {
    this.#endedAt.push(at);
  }

  takeAll(): { readonly outputs: readonly KindOutput[]; readonly endedAt: readonly Millis[] } {
    const taken = { outputs: this.#records, endedAt: this.#endedAt };
    this.#records = [];
    this.#endedAt = [];
    this.#bytes = 0;
    return taken;
  }
}

function outputBytes({ key, value, headers = [] }: KindOutput): number {
  let bytes = RECORD_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  for (const { name, value: content } of headers) bytes += name.length + (content?.length ?? 0);
  return bytes;
}
