// The check of deliveries by their logs, for those who have no other log to judge.
import { type JudgedRules, readingOf } from './kinds.ts';
import { Place } from './place.ts';
import { Findings } from './report.ts';
import type { DeliveryHistory } from '../logs/history.ts';
import { DeliveryLogCheck } from './delivery-log-check.ts';

/** Returns what is wrong, and what is left undecided, in words. `rules`: those of the pipeline whose outputs are sent. */
export async function judgeDeliveryLogs(
  partition: number,
  rules: JudgedRules,
  history: DeliveryHistory,
): Promise<readonly string[]> {
  const findings = new Findings();
  const { words } = readingOf(partition, rules, findings.reach);
  const place = (topic: string): Place => new Place(topic, partition, findings);
  await new DeliveryLogCheck({ partition, history, words, place, reach: findings.reach }).run();
  const { violations, undecided } = findings.report();
  return [
    ...violations.map(
      ({ rule, topic, offset, key, what }) => `[${rule}] ${topic}-${partition} ${offset ?? ''} ${key ?? ''}: ${what}`,
    ),
    ...undecided.map((what) => `undecided: ${what}`),
  ];
}
