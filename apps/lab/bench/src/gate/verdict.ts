// Judges whether Flatline has become much slower: events per CPU second against kafkajs' consumer merely reading the same
// topic in the same run. A ratio of CPU times within a run depends little on the machine, and so does not fail on a busy one. Pure.
import { spreadOf } from '../statistics.ts';
import { short, spreadText } from '../text-table.ts';
import type { ContenderCost } from '../tasks/contender-task.ts';

export const GATED_FORMATS = ['bare', 'json'] as const;
export type GatedFormat = (typeof GATED_FORMATS)[number];

type RatedCost = Pick<ContenderCost, 'records' | 'cpuMs'>;

/** One element per turn. */
export interface GateCosts {
  readonly flatline: readonly RatedCost[];
  readonly kafkajs: readonly RatedCost[];
}

export interface GateVerdict {
  readonly passed: boolean;
  readonly text: string;
}

/** An idle machine gives 5.1 and 2.3, one on which everything takes ten times as long 2.7 and 1.6: half of the former is red. */
export const TIMES_KAFKAJS_MIN: Readonly<Record<GatedFormat, number>> = { bare: 2.6, json: 1.35 };

/** Judges medians: they show a defect that is in most turns, but not a turn that other processes disturbed. */
export function gateVerdict(format: GatedFormat, { flatline, kafkajs }: GateCosts): GateVerdict {
  const [ours, theirs] = [flatline, kafkajs].map((costs) =>
    spreadOf(costs.map(({ records, cpuMs }) => (1_000 * records) / cpuMs)),
  );
  const times = ours!.median / theirs!.median;
  const limit = TIMES_KAFKAJS_MIN[format];
  const measured =
    `performance: ${format} events ${times.toFixed(2)} times kafkajs' per CPU second, at least ${limit}: ` +
    `${spreadText(ours!)} to ${short(theirs!.median)}`;
  if (times >= limit) return { passed: true, text: measured };
  return { passed: false, text: `${measured}. Something has become much slower` };
}
