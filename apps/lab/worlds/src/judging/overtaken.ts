// A partition whose clock was overtaken, as the processor says itself (C3). What closed then is no function of the log (C5),
// so the fold decides nothing; what is left holds of the closes among themselves, and of each against its own commit.
import { letterRecord, type LetterRecord } from '@flatline/oracle';
import type { Simulation } from '@flatline/cluster';
import { DEAD_LETTERS } from '../pipeline-names.ts';
import type { Scenario } from '../scenario.ts';
import { type DecidedCommit, summariesIn } from './decisions.ts';
import { endOfTime, foldPartition } from './expectation.ts';

/** Rules that compare with the fold. */
export const BY_THE_FOLD = ['V1', 'V2', 'V3', 'V4', 'V5', 'V11', 'I1', 'O1', 'O4'] as const;

export function checkOvertaken(
  simulation: Simulation,
  scenario: Scenario,
  partition: number,
  commits: readonly DecidedCommit[],
): string[] {
  return [
    ...checkOnce(commits),
    ...checkEvidence(commits),
    ...checkDeadLetters(simulation, scenario, partition, commits.at(-1)?.header.position ?? 0),
  ];
}

/** S4: no incarnation twice; O4: per key in the order of the log. */
function checkOnce(commits: readonly DecidedCommit[]): string[] {
  const last = new Map<unknown, number>();
  return commits
    .flatMap(({ outputs }) => summariesIn(outputs))
    .flatMap(({ sessionId, incarnation, firstOffset }) => {
      const before = last.get(sessionId) ?? -1;
      last.set(sessionId, Number(firstOffset));
      if (Number(firstOffset) === before) return [`[S4] ${String(incarnation)} is closed twice`];
      return Number(firstOffset) > before ? [] : [`[O4] ${String(sessionId)}: ${Number(firstOffset)} after ${before}`];
    });
}

/** X1, X2: the clock that a commit states closes what it closes, and no record of it is still to be read. */
function checkEvidence(commits: readonly DecidedCommit[]): string[] {
  return commits.flatMap(({ header: { clock, position }, outputs }) =>
    summariesIn(outputs).flatMap(({ incarnation, closedAt, lastOffset }) => [
      ...(Number(closedAt) > clock
        ? [`[X1] ${String(incarnation)} closes at ${Number(closedAt)}, clock ${clock}`]
        : []),
      ...(Number(lastOffset) >= position ? [`[X2] ${String(incarnation)} closes ahead of its records`] : []),
    ]),
  );
}

/** I1: every bad record once. Which record found room is no function of the log either (I7): such letters are left out. */
function checkDeadLetters(simulation: Simulation, scenario: Scenario, partition: number, below: number): string[] {
  const clockAtEnd = endOfTime(simulation, scenario, partition);
  const { refused } = foldPartition(simulation, scenario, partition, { below, clockAtEnd, hasRoom: true });
  const letters = simulation.log.committed(DEAD_LETTERS, partition).map((record): LetterRecord => letterRecord(record));
  const isFull = ({ subject }: LetterRecord): boolean => subject?.reason === 'state-full';
  const aside = new Set(letters.filter(isFull).map(({ subject }) => subject?.offset));
  const found = letters.flatMap(({ subject }) => subject?.offset ?? []).filter((offset) => !aside.has(offset));
  const expected = refused.filter((offset) => !aside.has(offset));
  const same = found.length === expected.length && found.every((offset, index) => offset === expected[index]);
  return same ? [] : [`[I1] dead letters of ${found.join(' ')}, the log has ${expected.join(' ')}`];
}
