// Contract of a partition task: its parts, how a step ends, and what a cut hands to the runtime.
import type { DurationMs, Millis, ReusedMemory } from '@flatline/base';
import type { HeldTimeRules, PipelineKind } from '@flatline/kinds';
import type { Routing } from '@flatline/kinds/routing';
import type { ChangelogCut, ChangelogLimits } from './changelog/changelog.ts';
import type { CutOutputs } from './commit/cut-outputs.ts';
import type { DeadLetter, DeadLetterLimits } from './commit/dead-letter.ts';
import type { InputRules } from './input/record-class.ts';
import type { StateLimits } from './entries/state-limits.ts';

/** Most that waits for a cut. Stepping stops at each of these. */
export interface CommitLimits {
  readonly pendingChangesMax: number;
  /** Bytes of outputs, as of now; those that routes have made weigh more (OutputBox). */
  readonly outputBytesMax: () => number;
  /** Bytes of owed records in one commit; the record that reaches this is its last. */
  readonly owedBytesMax: number;
  readonly deadLetters: DeadLetterLimits;
}

export interface TaskOptions extends CommitLimits {
  readonly partition: number;
  readonly kind: PipelineKind;
  /** Default: outputs bring about nothing (P3). */
  readonly routing?: Routing | undefined;
  readonly input: InputRules;
  /** Rules of further inputs, read with the first as one (S8). Default: there are none. */
  readonly furtherInputs?: readonly InputRules[];
  readonly changelog: ChangelogLimits;
  /** Default: nothing is held. */
  readonly heldTime?: HeldTimeRules;
  readonly tickMs: DurationMs;
  /** Drawn at start by the shell (I3). */
  readonly hashSeed: number;
  /** Memory for blocks and outputs until their commit is settled; tasks of a process may share it. */
  readonly blockMemory: ReusedMemory;
  readonly state: StateLimits;
  /** Bytes of rows that its cuts may take along for the local store at present. */
  readonly takenRowBytesMax: () => number;
}

export type StepOutcome =
  /** All records that were fetched are applied. */
  | { readonly kind: 'exhausted' }
  /** The record limit of this step is reached; more is there. */
  | { readonly kind: 'limit' }
  /** Too much waits for a cut; go on after it. */
  | { readonly kind: 'full' }
  /** C8: what is due has to be closed before the same record is taken again: call `expire` until nothing is. */
  | { readonly kind: 'due' }
  /** The same record is taken again by the next step, after `PipelineKind.prepare`. */
  | { readonly kind: 'unknownSchema'; readonly schemaId: number }
  /** C6: a stamp from the future on a LogAppendTime input. The same record is taken again by the next step. */
  | { readonly kind: 'futureStamp'; readonly timestamp: Millis; readonly offset: number }
  /** C6: the record is of another timestamp type than configured; `hasBegun`: others were of the configured one. */
  | { readonly kind: 'wrongTimestampType'; readonly offset: number; readonly hasBegun: boolean };

/** How a step of several inputs ends. */
export type MergedOutcome =
  /** The input's next record is in the way, or it has shown all that were fetched. */
  | { readonly kind: 'of'; readonly input: number; readonly outcome: StepOutcome }
  /** An input that shows no record may bring the next one (S8). */
  | { readonly kind: 'awaiting' }
  /** The record limit of this step is reached; more is there. */
  | { readonly kind: 'limit' };

export interface TaskCut extends ChangelogCut {
  readonly outputs: CutOutputs;
  /** For each entry that this cut ends, the instant as of which it ended. */
  readonly endedAt: readonly Millis[];
  readonly deadLetters: readonly DeadLetter[];
  /** Position in the first input that this commit covers; those of all are in its header. */
  readonly position: number;
  /** About how large the commit is: `blockBytes`, outputs and dead letters. */
  readonly commitBytes: number;
  /** `PartitionTask.pendingBytes` when the cut was begun: the most it was expected to be. */
  readonly countedBytes: number;
}
