// The second reading of each kind, one line each; the compiler names a kind that is missing.
import type { PipelineRules } from '../logs/history.ts';
import { debounceReading, type DebouncePipelineRules } from '../rules/debounce/debounce-reading.ts';
import type { FoldCounts } from '../rules/input-fold.ts';
import { leaseReading, type LeasePipelineRules } from '../rules/lease/lease-reading.ts';
import type { KindReading } from '../rules/reading.ts';
import { scheduleReading, type SchedulePipelineRules } from '../rules/schedule/schedule-reading.ts';
import { sessionReading } from '../rules/session/session-reading.ts';

/** The rules of a pipeline of each kind, as its configuration has them. */
export interface RulesByKind {
  readonly session: PipelineRules;
  readonly lease: LeasePipelineRules;
  readonly debounce: DebouncePipelineRules;
  readonly schedule: SchedulePipelineRules;
}

export type KindName = keyof RulesByKind;
export type JudgedRules = RulesByKind[KindName];

type Readings = {
  readonly [Kind in KindName]: (partition: number, rules: RulesByKind[Kind], counts: FoldCounts) => KindReading;
};

const READINGS: Readings = {
  session: sessionReading,
  lease: leaseReading,
  debounce: debounceReading,
  schedule: scheduleReading,
};

/** The rules select the table's line, which TypeScript cannot follow. */
export function readingOf(partition: number, rules: JudgedRules, counts: FoldCounts): KindReading {
  const reading = READINGS[rules.kind] as (partition: number, rules: JudgedRules, counts: FoldCounts) => KindReading;
  return reading(partition, rules, counts);
}
