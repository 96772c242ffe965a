// The newest outputs of the partitions that are read, in the order in which they came: what all subscribers share.
//
// Owns: these outputs; of each partition, from which offset on they are all here, and up to which.
// Does not own: who hears them (Hub), reading them (OutputTail).
//
// Invariants
//   WN1  Each committed output of an open partition from `fromOf` up to `nextOf` is here, once, in the order of its log.
import { bytesOf, type Output } from './output.ts';

interface Span {
  from: number;
  next: number;
}

export class OutputWindow {
  readonly #bytesMax: number;
  readonly #spans = new Map<number, Span>();
  /** undefined: gone. */
  #outputs: (Output | undefined)[] = [];
  /** How many at its beginning are. */
  #gone = 0;
  /** Number of the array's first. */
  #base = 0;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Number of the oldest, and the one behind the newest. */
  get first(): number {
    return this.#base + this.#gone;
  }
  get end(): number {
    return this.#base + this.#outputs.length;
  }

  /** The partition is read from that offset on. */
  open(partition: number, offset: number): void {
    this.close(partition);
    this.#spans.set(partition, { from: offset, next: offset });
  }

  /** Nothing is known of it any more. */
  close(partition: number): void {
    if (!this.#spans.delete(partition)) return;
    const kept = this.#outputs.filter((each) => each !== undefined && each.partition !== partition);
    // Numbers go on: whoever waits at one finds what came behind it.
    this.#base += this.#outputs.length - kept.length;
    this.#outputs = kept;
    this.#gone = 0;
    this.#bytes = kept.reduce((sum, each) => sum + bytesOf(each!), 0);
  }

  isOpen(partition: number): boolean {
    return this.#spans.has(partition);
  }

  /** undefined: it is not open. */
  fromOf(partition: number): number | undefined {
    return this.#spans.get(partition)?.from;
  }

  nextOf(partition: number): number | undefined {
    return this.#spans.get(partition)?.next;
  }

  /** False where it was here before, or its partition is not open. */
  add(output: Output): boolean {
    const span = this.#spans.get(output.partition);
    if (span === undefined || output.offset < span.next) return false;
    span.next = output.offset + 1;
    this.#outputs.push(output);
    this.#bytes += bytesOf(output);
    while (this.#bytes > this.#bytesMax && this.#outputs.length - this.#gone > 1) this.#drop();
    if (this.#gone > 1_024 && this.#gone * 2 > this.#outputs.length) {
      this.#base += this.#gone;
      this.#outputs = this.#outputs.slice(this.#gone);
      this.#gone = 0;
    }
    return true;
  }

  /** There is nothing up to that offset that has not been added. */
  advance(partition: number, offset: number): void {
    const span = this.#spans.get(partition);
    if (span !== undefined && offset > span.next) span.next = offset;
  }

  /** `number` from `first` up to `end`. */
  at(number: number): Output {
    return this.#outputs[number - this.#base]!;
  }

  #drop(): void {
    const oldest = this.#outputs[this.#gone]!;
    this.#outputs[this.#gone] = undefined;
    this.#gone += 1;
    this.#bytes -= bytesOf(oldest);
    this.#spans.get(oldest.partition)!.from = oldest.offset + 1;
  }
}
