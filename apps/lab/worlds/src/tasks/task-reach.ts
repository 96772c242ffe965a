// Counts of what the judge of tasks looked at.
import { outcomesIn, type TaskEvidence } from './task-evidence.ts';

export function reachedIn(evidence: TaskEvidence): [string, number][] {
  const { begun } = evidence.ledger;
  const outcomes = outcomesIn(evidence);
  const workers = Map.groupBy(begun, ({ id }) => id);
  const saying = (words: string): number => outcomes.filter(({ error = '' }) => error.includes(words)).length;
  const all: [string, number][] = [
    ['attempts', begun.length],
    ['takenOver', [...workers.values()].filter((each) => new Set(each.map(({ worker }) => worker)).size > 1).length],
    ['lateOutcome', outcomes.filter(({ counts, token }) => !counts && token !== undefined).length],
    ['behindAnEnd', outcomes.filter(({ counts, token }) => !counts && token === undefined).length],
    ['lostForGood', saying('is over:')],
    ['timedOut', saying('was not done within')],
    ...(['DONE', 'FAILED', 'POISON'] as const).map((state): [string, number] => [
      `task/${state}`,
      outcomes.filter((each) => each.state === state).length,
    ]),
  ];
  return all.filter(([, times]) => times > 0);
}
