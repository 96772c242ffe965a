// The next commit, from the decisions it will hold until it is cut.
//
// Owns: outputs, dead letters, how large a commit may be, whether the input waits for it, how much was applied by the last cut.
// Does not own: what changed of entries (Changelog), the position, when a commit is cut (the runtime).
import { assert, type Millis, type ReusedMemory } from '@flatline/base';
import type { HeldState, KeptBytes, KindOutput, TouchBase } from '@flatline/kinds';
import type { Routing } from '@flatline/kinds/routing';
import type { DeadLetterReason, RecordCursor } from '@flatline/ports';
import type { CommitName, InputPosition } from '../changelog/block-format.ts';
import type { Changelog } from '../changelog/changelog.ts';
import { DeadLetterBox } from './dead-letter-box.ts';
import { OutputBox } from './output-box.ts';
import type { CommitLimits, TaskCut } from '../task-contract.ts';

/** Part of a commit that evictions may fill: a small one costs brokers nearly as much, and others close seldom beside so many. */
const EVICTED_PART = 7 / 8;

export interface NextCommitParts {
  /** For outputs, until the commit is settled. */
  readonly memory: ReusedMemory;
  readonly routing?: Routing | undefined;
  readonly counters: { deadLetters: number; routed: number; unroutable: number };
}

export class NextCommit {
  readonly outputs: OutputBox;
  readonly #deadLetters: DeadLetterBox;
  readonly #changelog: Changelog;
  readonly #limits: CommitLimits;
  #bytesMax = Infinity;
  /** `bytes` when the cut that is being made was begun. */
  #bytesBeforeCut = 0;
  /** `applied` at the first slice of a cut; undefined: none has begun. */
  #begunAt: number | undefined;
  /** Records applied by the last cut (PartitionTask). */
  #cutApplied = 0;
  /** The cut being made may not have encoded all outputs yet. */
  #isEncoding = false;
  /** Bytes of the owed records in it. */
  #owedBytes = 0;
  /** Weight of outputs in it that evictions have brought about in their own turn. */
  #evictedWeight = 0;
  /** The input waits until more of what is owed can be said. */
  #isAwaited = false;

  /** `routing`: what outputs bring about beside themselves (P3). Default: nothing. */
  constructor(changelog: Changelog, limits: CommitLimits, { memory, routing, counters }: NextCommitParts) {
    this.#changelog = changelog;
    this.#limits = limits;
    this.#deadLetters = new DeadLetterBox(limits.deadLetters);
    const onRouted = (): void => {
      counters.routed += 1;
    };
    const onUnroutable = (output: KindOutput, detail: string): void => {
      counters.deadLetters += 1;
      counters.unroutable += 1;
      this.#deadLetters.addUnroutable(output, detail);
    };
    this.outputs = new OutputBox(memory, routing && { routing, onRouted, onUnroutable });
  }

  /** Says that so much of the input is committed: the sum of positions. */
  resume(applied: number): void {
    this.#cutApplied = applied;
  }

  /** About how many bytes it would have if it were cut now, the sweep's share with them. */
  get bytes(): number {
    return this.#changelog.pendingBytes + this.#outputBytes;
  }

  get #outputBytes(): number {
    return this.outputs.bytes + this.#deadLetters.bytes;
  }

  limit(bytes: number): void {
    this.#bytesMax = bytes;
    this.#changelog.purge.limit(bytes);
  }

  /** Tells the changelog at how many bytes this commit is heavy: each change then costs a comparison instead of a sum. */
  weighChanges(): void {
    this.#changelog.changedMax = this.#changelog.changedFor(this.#bytesMax - this.#outputBytes);
  }

  /** True once it has reached its limit of bytes. */
  get isHeavy(): boolean {
    return this.bytes >= this.#bytesMax;
  }

  get isCutting(): boolean {
    return this.#isEncoding || this.#changelog.isCutting;
  }

  /** True if it takes nothing more: a limit is reached, or it is being cut. */
  get isFull(): boolean {
    return (
      this.isCutting ||
      this.#isAwaited ||
      this.isHeavy ||
      this.#changelog.pendingChanges >= this.#limits.pendingChangesMax ||
      this.outputs.weight >= this.#limits.outputBytesMax() ||
      this.#deadLetters.isFull
    );
  }

  /** Share in use of the limit that is nearest; from 1 on it is full. */
  get fill(): number {
    const { pendingChangesMax, outputBytesMax } = this.#limits;
    return Math.max(
      this.bytes / this.#bytesMax,
      this.#changelog.pendingChanges / pendingChangesMax,
      this.outputs.weight / outputBytesMax(),
      this.#deadLetters.fill,
    );
  }

  /** True if it takes more owed records; at least one of them goes into each commit. */
  get takesOwed(): boolean {
    return this.#owedBytes < this.#limits.owedBytesMax && !this.isFull;
  }

  addOwed(record: KindOutput): void {
    this.#owedBytes -= this.outputs.bytes;
    this.outputs.add(record);
    this.#owedBytes += this.outputs.bytes;
  }

  /** True if it takes more of what evictions end. The rest is left to what comes due meanwhile, which would wait for a cut. */
  get takesEvicted(): boolean {
    const isAll = this.#evictedWeight >= EVICTED_PART * Math.min(this.#limits.outputBytesMax(), this.#bytesMax);
    return !isAll && !this.isFull;
  }

  /** Outputs that come of `what` are an eviction's. */
  evicting(what: () => void): void {
    this.#evictedWeight -= this.outputs.weight;
    what();
    this.#evictedWeight += this.outputs.weight;
  }

  /** Makes it full: the input waits until it is cut. */
  await(): void {
    this.#isAwaited = true;
  }

  /** True if it would hold nothing new where so much of the input is applied. */
  isEmptyAt(applied: number): boolean {
    return applied === this.#cutApplied && this.holdsNothing;
  }

  /** True if it holds only a position and a clock. Dead letters come with their records. */
  get holdsNothing(): boolean {
    const { pendingChanges, purge } = this.#changelog;
    return !this.isCutting && pendingChanges === 0 && this.outputs.isEmpty && !purge.isUnderWay;
  }

  /** Copies the record the cursor stands on. */
  addDeadLetter(cursor: RecordCursor, reason: DeadLetterReason, detail: string, input: number): void {
    this.#deadLetters.add(cursor, reason, detail, input);
  }

  /** Lists faults of what waits, in words. For checks. */
  inspect(): string[] {
    return [...this.outputs.inspect(), ...this.#deadLetters.inspect()];
  }

  /** `applied`: the sum of all positions, which may not change before the cut is over (PT3). */
  prepareCut(bytes: number, base: TouchBase, applied: number): boolean {
    if (!this.isCutting) {
      this.#bytesBeforeCut = this.bytes;
      this.#begunAt = applied;
    }
    const left = this.outputs.encode(bytes);
    this.#isEncoding = left <= 0;
    return !this.#isEncoding && this.#changelog.prepareCut(left, base);
  }

  cut(name: CommitName, state: CommitState): TaskCut {
    const countedBytes = this.isCutting ? this.#bytesBeforeCut : this.bytes;
    this.outputs.encode(Infinity);
    this.#isEncoding = false;
    this.#isAwaited = false;
    this.#owedBytes = 0;
    this.#evictedWeight = 0;
    const outputBytes = this.#outputBytes;
    const outputs = this.outputs.takeAll();
    const { inputs, applied, clock, held, kept, evictions } = state;
    const { position } = inputs[0]!;
    const deadLetters = this.#deadLetters.takeAll(Math.max(0, position - 1), clock);
    assert(
      this.#begunAt === undefined || this.#begunAt === applied,
      'PT3: a cut is made at one position of each input',
      {
        begun: this.#begunAt,
        applied,
      },
    );
    this.#begunAt = undefined;
    this.#cutApplied = applied;
    const cut = this.#changelog.cut({ ...name, inputs, clock, ...held, kept, evictions });
    const commitBytes = cut.blockBytes + outputBytes;
    return Object.assign(cut, { ...outputs, deadLetters, position, commitBytes, countedBytes });
  }
}

/** A commit's account of the input it covers. */
export interface CommitState {
  readonly inputs: readonly InputPosition[];
  /** The sum of their positions. */
  readonly applied: number;
  readonly clock: Millis;
  readonly held: HeldState;
  /** The kind's state beside its entries; undefined: it has none. */
  readonly kept: KeptBytes | undefined;
  /** Evictions under way (Q4); undefined: none is. */
  readonly evictions: Uint8Array | undefined;
}
