// Records for the output, from being decided until a cut takes them.
//
// Owns: the records, what they bring about (P3), their bytes, those that are still to be encoded; the instants as of which entries
// ended.
// Does not own: what they say.
//
// Invariants
//   OB1  In the order in which they were decided, which for each key is the log's.
//   OB2  A record is taken once: with the cut of what brought it about (O1).
//   OB3  What is encoded later is encoded by the cut that takes it, all of it.
//   OB4  What a record brings about comes right behind it, in the same cut.
//
// Checked
//   inspect  OB3
//            As far as what is encoded, and what is not, have the bytes that are counted.
//   not      OB1, OB2, OB4: of what was decided before and is not kept; the oracle reads the output for it (O1), and the
//            topics of routes (P3).
import type { Millis } from '@flatline/base';
import type { KindOutput, LaterRecords } from '@flatline/kinds';
import type { Routing } from '@flatline/kinds/routing';

/** Bytes of a record in its batch beside key, value and headers: lengths, deltas, and a header's framing. */
const RECORD_OVERHEAD_BYTES = 24;
/** At most about what the header takes that says which output brought a record about. */
const ROUTE_HEADER_BYTES = 128;
/** A call that encoded no record yet counts as this many bytes of work. */
const STEP_BYTES = 128 * 1024;

/** Records to be encoded: their place among the others, and those encoded so far. */
interface Later {
  readonly at: number;
  readonly records: LaterRecords;
  readonly encoded: KindOutput[];
}

/** Records of other topics that outputs bring about. */
export interface OutputRoutes {
  readonly routing: Routing;
  readonly onRouted: () => void;
  readonly onUnroutable: (output: KindOutput, detail: string) => void;
}

export class OutputBox {
  readonly #routes: OutputRoutes | undefined;
  #records: KindOutput[] = [];
  #later: Later[] = [];
  /** How many of `#later` are encoded. */
  #encoded = 0;
  #endedAt: Millis[] = [];
  #bytes = 0;

  /** Default: they bring about nothing. */
  constructor(routes?: OutputRoutes) {
    this.#routes = routes;
  }

  get count(): number {
    return this.#records.length + this.#later.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.count === 0 && this.#endedAt.length === 0;
  }

  add(record: KindOutput): void {
    this.#bytes += this.#put(record, this.#records);
  }

  /** Returns how many bytes it has with what it brings about. */
  #put(record: KindOutput, into: KindOutput[]): number {
    into.push(record);
    const own = outputBytes(record);
    return this.#routes === undefined ? own : own + putRouted(record, into, this.#routes);
  }

  addLater(records: LaterRecords): void {
    this.#later.push({ at: this.#records.length, records, encoded: [] });
    this.#bytes += this.#counted(records);
  }

  /** Each route may take all of it along; a function, even several times. */
  #counted({ bytes }: LaterRecords): number {
    return bytes * (1 + (this.#routes?.routing.count ?? 0));
  }

  /** An entry has ended as of `at`. */
  ended(at: Millis): void {
    this.#endedAt.push(at);
  }

  /** Encodes about `bytes` of what waits, to the end of a record. Returns the bytes not used; 0 or less: more may wait. */
  encode(bytes: number): number {
    let left = bytes;
    while (left > 0 && this.#encoded < this.#later.length) left -= this.#encodeNext(this.#later[this.#encoded]!);
    return left;
  }

  #encodeNext({ records, encoded }: Later): number {
    const record = records.next();
    const bytes = record === undefined ? 0 : this.#put(record, encoded);
    this.#bytes += bytes;
    if (records.isOver) {
      this.#bytes -= this.#counted(records);
      this.#encoded += 1;
    }
    return record === undefined ? STEP_BYTES : bytes;
  }

  takeAll(): { readonly outputs: readonly KindOutput[]; readonly endedAt: readonly Millis[] } {
    this.encode(Infinity);
    const taken = { outputs: this.#inOrder(), endedAt: this.#endedAt };
    this.#records = [];
    this.#later = [];
    this.#encoded = 0;
    this.#endedAt = [];
    this.#bytes = 0;
    return taken;
  }

  /** Lists violations of the invariants, in words. O(records), changes nothing. For checks. */
  inspect(): string[] {
    const waiting = this.#later.slice(this.#encoded).reduce((sum, { records }) => sum + this.#counted(records), 0);
    const encoded = [...this.#records, ...this.#later.flatMap((later) => later.encoded)];
    const bytes = encoded.reduce((sum, record) => sum + countedBytes(record), waiting);
    return bytes === this.#bytes ? [] : [`OB3: outputs have ${bytes} bytes, ${this.#bytes} are counted`];
  }

  #inOrder(): readonly KindOutput[] {
    const records = this.#records;
    if (this.#later.length === 0) return records;
    const all: KindOutput[] = [];
    let done = 0;
    for (const { at, encoded } of this.#later) {
      for (; done < at; done += 1) all.push(records[done]!);
      all.push(...encoded);
    }
    for (; done < records.length; done += 1) all.push(records[done]!);
    return all;
  }
}

function putRouted(output: KindOutput, into: KindOutput[], { routing, onRouted, onUnroutable }: OutputRoutes): number {
  let bytes = 0;
  for (const routed of routing.of(output)) {
    if (routed.kind === 'unroutable') {
      onUnroutable(output, routed.detail);
      continue;
    }
    into.push(routed.record);
    bytes += countedBytes(routed.record);
    onRouted();
  }
  return bytes;
}

function countedBytes(record: KindOutput): number {
  return outputBytes(record) + (record.partition === undefined ? 0 : ROUTE_HEADER_BYTES);
}

function outputBytes({ key, value, headers = [] }: KindOutput): number {
  let bytes = RECORD_OVERHEAD_BYTES + (key?.length ?? 0) + (value?.length ?? 0);
  for (const { name, value: content } of headers) bytes += name.length + (content?.length ?? 0);
  return bytes;
}
