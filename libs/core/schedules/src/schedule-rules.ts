import type { DurationMs } from '@flatline/base';

/** Policy for runs that were past their next due instant when the clock reached them (D3). */
export type OnMissed = 'once' | 'all' | 'skip';
/** Receipts about schedules themselves that go to the output (D4). */
export type Receipts = 'none' | 'errors' | 'all';

/** The schedule options of a pipeline, validated by the configuration. */
export interface ScheduleRules {
  /** Furthest ahead of its record that a schedule may be due. */
  readonly maxHorizonMs: DurationMs;
  /** The shortest period by which a schedule may recur: one record could ask for a thousand runs a second, for good. */
  readonly minEveryMs: DurationMs;
  readonly missed: OnMissed;
  /** Most runs that are made up for at once. */
  readonly maxCatchUp: number;
  /** Runs that were due longer ago are missed for good. */
  readonly catchUpWindowMs: DurationMs;
  readonly receipts: Receipts;
  /** Value and foreign headers of one message. */
  readonly maxMessageBytes: number;
  readonly maxSchedulesPerKey: number;
  /** Topics that a message may be for instead of the output. */
  readonly targets: readonly string[];
  /** A message may name it: it is for the output then, as one that names none. */
  readonly outputTopic: string;
}
