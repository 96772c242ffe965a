// When a quiet partition proves its silence in virtual time, and by what.
//
// A processor asks for proof soon after a deadline, at its pace (libs/shell/runtime/src/proof); here the log answers at the very
// instant. What comes out does not depend on that (C5).
import { assert, type DurationMs, type Millis } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import type { PartitionTask } from '@flatline/partition';

/** With C8, so many clock records come within `unheardMs`: a processor asks as often. */
const HEARD_SHARE = 4;

export type Proof =
  /** A clock record with that stamp (C2). */
  | { readonly kind: 'record'; readonly timestamp: Millis }
  /** The leader's answer, before which everything stamped until then was read (C3). */
  | { readonly kind: 'fetch'; readonly evidence: Millis };

export class Silence {
  readonly #pipeline: Pick<PipelineConfig, 'proof' | 'clockSkewMs' | 'heldTime' | 'input'>;
  /** When the last record was read. */
  #readAt: Millis;

  constructor(pipeline: Pick<PipelineConfig, 'proof' | 'clockSkewMs' | 'heldTime' | 'input'>, now: Millis) {
    this.#pipeline = pipeline;
    this.#readAt = now;
  }

  read(now: Millis): void {
    this.#readAt = now;
  }

  /** When the next proof comes; undefined: nothing is waited for, or nothing can prove it. */
  provesAt(task: PartitionTask): Millis | undefined {
    const due = task.earliestDue();
    if (due === undefined) return undefined;
    const { proof, clockSkewMs, input } = this.#pipeline;
    if (proof === 'fetch') return due + clockSkewMs;
    if (input.timestampType === 'LogAppendTime') return Math.min(due, this.#heardBy(task));
    // C2: the stamp of a stream that is not live would be invented.
    return task.input.live ? this.#readAt + due - task.clock.now : undefined;
  }

  proof(task: PartitionTask, now: Millis): Proof {
    const { proof, clockSkewMs, input } = this.#pipeline;
    if (proof === 'fetch') return { kind: 'fetch', evidence: now - clockSkewMs };
    const timestamp = input.timestampType === 'LogAppendTime' ? now : task.clock.now + this.#since(now);
    return { kind: 'record', timestamp };
  }

  /** C8: while something lives, the log is seen to be listened to. */
  #heardBy(task: PartitionTask): Millis {
    const { unheardMs } = this.#pipeline.heldTime;
    return unheardMs === 0 ? Infinity : task.clock.now + Math.max(1, Math.floor(unheardMs / HEARD_SHARE));
  }

  #since(now: Millis): DurationMs {
    assert(now >= this.#readAt, 'time does not go back');
    return now - this.#readAt;
  }
}
