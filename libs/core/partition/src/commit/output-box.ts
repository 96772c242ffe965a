// Records for the output, from being decided until a cut takes them: bytes, each written when it is decided.
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
//   OB5  Nothing is decided once a cut has begun to encode: it would lie among what is encoded, and go out twice or in another order.
//
// Checked
//   inspect    OB3
//              As far as what is encoded, and what is not, have the bytes that are counted.
//   assertion  OB5
//   not        OB1, OB2, OB4: of what was decided before and is not kept; the oracle reads the output for it (O1), and the
//              topics of routes (P3).
import { assert, type Millis, type ReusedMemory } from '@flatline/base';
import type { KindOutput, LaterRecords } from '@flatline/kinds';
import type { Routing } from '@flatline/kinds/routing';
import {
  nameBytes,
  type RecordMark,
  RecordPacker,
  type RecordRange,
  type RecordSink,
  START,
  type UntimedRecord,
} from '@flatline/ports';
import { CutOutputs } from './cut-outputs.ts';
import { OutputPlaces } from './output-places.ts';

/** Bytes of a record in its batch beside key, value and headers: lengths, deltas, and a header's framing. */
const RECORD_OVERHEAD_BYTES = 24;
/** At most about what the header takes that says which output brought a record about. */
const ROUTE_HEADER_BYTES = 128;
/**
 * A record that a route has made weighs so much more while it waits: with the name that the cut alone knows it is an object again, and
 * all of a commit's are made in one turn, three thousand in some milliseconds.
 */
const ROUTED_WEIGHT_BYTES = 768;
/** A call that encoded no record yet counts as this many bytes of work. */
const STEP_BYTES = 128 * 1024;

/** Records to be encoded, where they belong among those that are, and where they lie once they are. */
interface Later {
  readonly at: RecordMark;
  readonly records: LaterRecords;
  encoded: RecordRange | undefined;
}

/** Records of other topics that outputs bring about. */
export interface OutputRoutes {
  readonly routing: Routing;
  readonly onRouted: () => void;
  readonly onUnroutable: (output: KindOutput, detail: string) => void;
}

const HERE = {};

export class OutputBox {
  readonly #routes: OutputRoutes | undefined;
  readonly #packer: RecordPacker;
  readonly #places = new OutputPlaces();
  #later: Later[] = [];
  /** How many of `#later` are encoded. */
  #encoded = 0;
  /** Where the record goes that is begun. */
  #place = 0;
  /** Behind the records that were decided and written at once, from when others are; undefined: none is. */
  #directEnd: RecordMark | undefined;
  #endedAt: Millis[] = [];
  #bytes = 0;
  /** How many records routes have made. */
  #routed = 0;

  /** `routes`: default: they bring about nothing. */
  constructor(memory: ReusedMemory, routes?: OutputRoutes) {
    this.#packer = new RecordPacker(memory);
    this.#routes = routes;
  }

  get count(): number {
    return (this.#directEnd?.count ?? this.#packer.count) + this.#later.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that count for how much may wait. */
  get weight(): number {
    return this.#bytes + ROUTED_WEIGHT_BYTES * this.#routed;
  }

  get isEmpty(): boolean {
    return this.count === 0 && this.#endedAt.length === 0;
  }

  add(record: KindOutput): void {
    if (this.#directEnd !== undefined) refuseMore();
    this.#bytes += this.#put(record);
  }

  /** Begins a record for that topic, whose parts are written to what is returned and have so many bytes, at most. */
  begin(bytes: number, headers: number, topic: string | undefined): RecordSink {
    if (this.#directEnd !== undefined) refuseMore();
    this.#place = this.#places.numberOf(topic === undefined ? HERE : { topic });
    this.#packer.begin(this.#place, bytes, headers);
    return this.#packer;
  }

  /** It is written. */
  end(): void {
    const from = this.#routes && this.#packer.mark;
    this.#bytes += RECORD_OVERHEAD_BYTES + this.#packer.end();
    this.#places.count(this.#place);
    if (from !== undefined) this.#bytes += this.#putRouted(this.#writtenFrom(from), this.#routes!);
  }

  /** Returns how many bytes it has with what it brings about. */
  #put(record: KindOutput): number {
    const own = this.#putOne(record);
    return this.#routes === undefined ? own : own + this.#putRouted(record, this.#routes);
  }

  #putOne(record: KindOutput): number {
    const place = this.#places.numberOf(record);
    const parts = this.#packer.add(record, place);
    this.#places.count(place);
    return countedBytes(parts, record);
  }

  #putRouted(output: KindOutput, { routing, onRouted, onUnroutable }: OutputRoutes): number {
    let bytes = 0;
    for (const routed of routing.of(output)) {
      if (routed.kind === 'unroutable') {
        onUnroutable(output, routed.detail);
        continue;
      }
      bytes += this.#putOne(routed.record);
      this.#routed += 1;
      onRouted();
    }
    return bytes;
  }

  /** The record that was written last, as routes see it. */
  #writtenFrom(from: RecordMark): KindOutput {
    const all = this.#packer.peekAll().inOrder([{ from, to: this.#packer.mark }]);
    const [record] = this.#places.named(all);
    return record!;
  }

  addLater(records: LaterRecords): void {
    if (this.#directEnd !== undefined) refuseMore();
    this.#later.push({ at: this.#packer.mark, records, encoded: undefined });
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

  #encodeNext(later: Later): number {
    this.#directEnd ??= this.#packer.mark;
    const { records } = later;
    const from = later.encoded?.from ?? this.#packer.mark;
    const record = records.next();
    const bytes = record === undefined ? 0 : this.#put(record);
    later.encoded = { from, to: this.#packer.mark };
    this.#bytes += bytes;
    if (records.isOver) {
      this.#bytes -= this.#counted(records);
      this.#encoded += 1;
    }
    return record === undefined ? STEP_BYTES : bytes;
  }

  takeAll(): { readonly outputs: CutOutputs; readonly endedAt: readonly Millis[] } {
    this.encode(Infinity);
    const ranges = this.#inOrder();
    const outputs = new CutOutputs(this.#packer.takeAll().inOrder(ranges), this.#places.takeAll());
    const taken = { outputs, endedAt: this.#endedAt };
    this.#later = [];
    this.#encoded = 0;
    this.#directEnd = undefined;
    this.#endedAt = [];
    this.#bytes = 0;
    this.#routed = 0;
    return taken;
  }

  /** Lists violations of the invariants, in words. O(records), changes nothing. For checks. */
  inspect(): string[] {
    let bytes = this.#later.slice(this.#encoded).reduce((sum, { records }) => sum + this.#counted(records), 0);
    for (const record of this.#places.named(this.#packer.peekAll())) bytes += countedBytes(partBytes(record), record);
    return bytes === this.#bytes ? [] : [`OB3: outputs have ${bytes} bytes, ${this.#bytes} are counted`];
  }

  /** Outputs encoded later lie behind all others, and go out where they were decided. */
  #inOrder(): readonly RecordRange[] {
    const ranges: RecordRange[] = [];
    let done = START;
    for (const { at, encoded } of this.#later) {
      ranges.push({ from: done, to: at }, encoded!);
      done = at;
    }
    return [...ranges, { from: done, to: this.#directEnd ?? this.#packer.mark }];
  }
}

// Apart from the callers, which are hot.
function refuseMore(): never {
  assert(false, 'OB5: nothing is decided while a commit is cut');
}

/** `parts`: bytes of key, value and headers. */
function countedBytes(parts: number, { partition }: KindOutput): number {
  return RECORD_OVERHEAD_BYTES + parts + (partition === undefined ? 0 : ROUTE_HEADER_BYTES);
}

function partBytes({ key, value, headers = [] }: UntimedRecord): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0);
  for (const { name, value: content } of headers) bytes += nameBytes(name).length + (content?.length ?? 0);
  return bytes;
}
