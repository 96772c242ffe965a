// Whether Flatline has become much slower than it is: events per CPU second against kafkajs' consumer merely reading the same
// topic in the same run. A ratio of CPU times within a run says little of the machine, and so does not fail on a busy one. Pure.
import { short } from '../text-table.ts';
import type { FormatFigures } from '../throughput/throughput-report.ts';

export interface GateVerdict {
  readonly passed: boolean;
  readonly text: string;
}

/**
 * Over the best turn of kafkajs. A long run on a calm machine gives more than 2; a small one is mostly warm-up, and gave
 * 0.73 at a load of 25 on two cores. Half of that still means that something has become several times slower.
 */
export const TIMES_KAFKAJS_MIN = 0.35;

/** Judges each contender's best turn: slower ones are slowed by other processes. */
export function gateVerdict({ contenders }: FormatFigures, command: string): GateVerdict {
  const best = (name: string): number => contenders.find(({ contender }) => contender === name)!.eventsPerCpuSecond.max;
  const [flatline, kafkajs] = [best('flatline'), best('kafkajs')];
  const times = flatline / kafkajs;
  const measured =
    `${times.toFixed(2)} times kafkajs' events per CPU second (${short(flatline)} to ${short(kafkajs)}; ` +
    `at least ${TIMES_KAFKAJS_MIN})`;
  if (times >= TIMES_KAFKAJS_MIN) return { passed: true, text: `performance: ${measured}` };
  return {
    passed: false,
    text: `performance: ${measured}: something has become much slower.\nSee for yourself: ${command}`,
  };
}
