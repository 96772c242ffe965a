// One partition of a pipeline in memory: the product's own task, its input as it comes, and what it commits.
//
// Owns: when silence is next proved.
// Does not own: the rules (PartitionTask), what waits to be read (WaitingInputs), what virtual time it is, records that come out.
//
// Invariants
//   IP1  After each call all that was read is committed, but for what waits for the pace of `maxDuePerSecond`.
import { type Millis, ReusedMemory } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import { kindOf } from '@flatline/kind-modules';
import { HeldTime, type KindOutput, type ShownEntry } from '@flatline/kinds';
import { type DeadLetter, NO_BATCH, PartitionTask, type TaskOptions } from '@flatline/partition';
import { CLOCK_HEADER } from '@flatline/ports';
import { DuePace } from '@flatline/runtime';
import { EXPIRE_MAX, FREE_BLOCK_BYTES_MAX } from './limits.ts';
import { MemoryChangelog } from './memory-changelog.ts';
import type { InputRecord } from './memory-cursor.ts';
import { Silence } from './silence.ts';
import type { TestedKind } from './tested-kind.ts';
import { WaitingInputs } from './waiting-inputs.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };

/** A pipeline as its partitions run it. */
export interface Tested extends TestedKind {
  readonly pipeline: PipelineConfig;
  readonly taskOptions: Omit<TaskOptions, 'partition' | 'blockMemory'>;
}

export interface TestPartitionParts {
  readonly partition: number;
  readonly partitionCount: number;
  /** `input`: which of them, counted from 0. */
  readonly onInput: (record: InputRecord, partition: number, input: number) => void;
  readonly onOutput: (output: KindOutput, partition: number) => void;
  readonly onDeadLetter: (letter: DeadLetter, partition: number) => void;
}

export class TestPartition {
  readonly #parts: TestPartitionParts;
  readonly #changelog: MemoryChangelog;
  readonly #blockMemory = new ReusedMemory(FREE_BLOCK_BYTES_MAX);
  #tested: Tested;
  #task: PartitionTask;
  #silence: Silence;
  #pace: DuePace | undefined;
  /** When the pace lets more of what is due take effect; the input waits until then. */
  #paceAt: Millis | undefined;
  readonly #waiting: WaitingInputs;

  constructor(tested: Tested, parts: TestPartitionParts, now: Millis) {
    this.#parts = parts;
    this.#tested = tested;
    const { input, inputs = [input] } = tested.pipeline;
    this.#waiting = new WaitingInputs(inputs.length, input.timestampType === 'LogAppendTime');
    this.#changelog = new MemoryChangelog(parts.partitionCount);
    this.#silence = new Silence(tested.pipeline, now);
    this.#pace = paceOf(tested.pipeline, now);
    this.#task = this.#begin();
    this.#changelog.commit(this.#task);
  }

  /** Where the input's next record will lie. */
  endOf(input: number): number {
    return this.#waiting.endOf(input);
  }

  /** A record comes, and what it waits for (S8). */
  append(record: InputRecord, now: Millis, input: number): void {
    this.#come(record, input);
    if (this.#paceAt !== undefined) return;
    this.#work(now);
    // At one instant the first input comes first: its records wait for no later one.
    if (this.#awaited().some((at) => at <= now)) this.wake(now);
  }

  /** The same of a log as it lay: nothing is added. */
  appendAsItLay(record: InputRecord, now: Millis, input: number): void {
    this.#come(record, input);
    if (this.#paceAt === undefined) this.#work(now);
  }

  /** When time next brings something about by itself; undefined: it never does, however long it passes. */
  get wakesAt(): Millis | undefined {
    if (this.#paceAt !== undefined) return this.#paceAt;
    const all = [...this.#awaited(), this.#silence.provesAt(this.#task) ?? Infinity];
    const at = Math.min(...all);
    return at === Infinity ? undefined : at;
  }

  /** Instants that inputs have to pass for a record of another one. */
  #awaited(): readonly Millis[] {
    const { count } = this.#waiting;
    if (count === 1) return [];
    return Array.from({ length: count }, (_, input) => this.#task.awaitedOf(input) ?? Infinity);
  }

  /** It is that time, or later: the log proves that nothing came before. */
  wake(now: Millis): void {
    if (this.#paceAt === undefined) this.#prove(now);
    this.#paceAt = undefined;
    this.#work(now);
  }

  /** Another task, of other settings where they were changed, goes on from what is committed. */
  restart(tested: Tested, now: Millis): void {
    this.#tested = tested;
    this.#waiting.beginAgain();
    this.#pace = paceOf(tested.pipeline, now);
    this.#silence = new Silence(tested.pipeline, now);
    this.#task = this.#begin();
    if (this.#paceAt === undefined) this.#work(now);
  }

  get liveEntries(): number {
    return this.#task.liveEntries;
  }

  /** Each thing that lives, in no order that means anything. */
  *entries(): Generator<{ readonly key: Uint8Array; readonly shown: ShownEntry }> {
    const { table } = this.#task;
    const { view } = this.#tested;
    const { partition } = this.#parts;
    const held = new HeldTime(this.#tested.pipeline.heldTime);
    const { last } = this.#changelog;
    if (last !== undefined) held.restore(last);
    const entry = table.view();
    for (let slot = 0; slot < table.slotsEnd; slot += 1) {
      if (!table.isLive(slot)) continue;
      const key = table.keyOf(slot);
      for (const shown of view.shown(entry.at(slot), { partition, held })) yield { key, shown };
    }
  }

  #begin(): PartitionTask {
    const { partition } = this.#parts;
    const task = new PartitionTask({ ...this.#tested.taskOptions, partition, blockMemory: this.#blockMemory });
    // There is no local store to bring up to date.
    task.checkpoints.discard();
    const last = this.#changelog.restore(task);
    const starts = Array.from({ length: this.#waiting.count }, () => START);
    task.resume(last?.clock ?? 0, last?.inputs ?? starts, last);
    task.arm(Infinity);
    return task;
  }

  #prove(now: Millis): void {
    const proof = this.#silence.proof(this.#task, now);
    if (proof.kind === 'fetch') {
      this.#task.observe(proof.evidence);
      return;
    }
    const headers = [{ name: CLOCK_HEADER, value: null }];
    // All inputs have to pass what is due, or waited for.
    for (let input = 0; input < this.#waiting.count; input += 1) {
      const place = { offset: this.endOf(input), timestamp: proof.timestamp };
      this.#come({ ...place, key: null, value: new Uint8Array(0), headers }, input);
    }
  }

  #come(record: InputRecord, input: number): void {
    this.#waiting.add(record, input);
    this.#parts.onInput(record, this.#parts.partition, input);
  }

  #work(now: Millis): void {
    for (let goesOn = true; goesOn;) {
      const isAllRead = this.#read(now);
      const more = this.#expire(now);
      if (this.#task.isFull || this.#task.hasOwed || this.#task.evictsNext) this.#commit();
      if (more === 'later') break;
      goesOn = more || !isAllRead || this.#task.hasOwed || this.#task.canEvict;
    }
    if (this.#task.hasUncut) this.#commit();
  }

  #read(now: Millis): boolean {
    return this.#waiting.read(this.#task, now, () => {
      this.#silence.read(now);
    });
  }

  #expire(now: Millis): boolean | 'later' {
    const task = this.#task;
    const pace = this.#pace;
    if (pace === undefined) return task.expire(EXPIRE_MAX, now);
    const before = task.counters.expired;
    const monotonic: number = now;
    const more = task.expire(Math.min(EXPIRE_MAX, pace.allowed(monotonic)), now);
    pace.took(task.counters.expired - before);
    if (!more || pace.allowed(monotonic) > 0) return more;
    this.#paceAt = now + pace.waitMs;
    return 'later';
  }

  #commit(): void {
    const { partition, onOutput, onDeadLetter } = this.#parts;
    const { outputs, deadLetters } = this.#changelog.commit(this.#task);
    for (const output of outputs) onOutput(output, partition);
    for (const letter of deadLetters) onDeadLetter(letter, partition);
  }
}

function paceOf(pipeline: PipelineConfig, now: number): DuePace | undefined {
  const { maxDuePerSecond } = kindOf(pipeline).taskSettings(pipeline);
  return maxDuePerSecond === undefined ? undefined : new DuePace(maxDuePerSecond, now);
}
