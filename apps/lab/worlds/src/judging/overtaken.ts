// A partition whose clock was overtaken, as the processor itself says (C3). What came due then is no function of the log (C5),
// so the fold decides nothing; the remaining rules relate the output's records to each other, and to their own commits.
import { textIn } from '@flatline/lab-kinds';
import type { DecidedCommit } from './decisions.ts';
import { endOfTime, foldPartition, type JudgedWorld, lettersOf, refusedFor } from './expectation.ts';

/** Rules that compare with the fold. */
export const BY_THE_FOLD = ['V1', 'V2', 'V3', 'V4', 'V5', 'V11', 'I1', 'O1', 'O4'] as const;

export function checkOvertaken(world: JudgedWorld, partition: number, commits: readonly DecidedCommit[]): string[] {
  return [
    ...checkOnce(world, commits),
    ...checkEvidence(world, commits),
    ...checkSums(world, commits),
    ...checkDeadLetters(world, partition, commits.at(-1)?.header.position ?? 0),
  ];
}

/** O1: no record is repeated for a key, in the same words or in others. */
function checkOnce({ kind }: JudgedWorld, commits: readonly DecidedCommit[]): string[] {
  const known = new Set<string>();
  return commits
    .flatMap(({ outputs }) => outputs)
    .flatMap((record) => {
      const word = kind.word(record);
      if (word === undefined) return [];
      const id = `${textIn(record.key)}: ${word.id}`;
      if (known.has(id)) return [`[O1] ${id} (${word.what}) is said twice`];
      known.add(id);
      return [];
    });
}

/** C3: the clock of a commit has reached the instants that its records state. */
function checkEvidence({ kind }: JudgedWorld, commits: readonly DecidedCommit[]): string[] {
  return commits.flatMap(({ header: { clock, sequence }, outputs }) =>
    outputs
      .flatMap((record) => kind.word(record) ?? [])
      .filter(({ at }) => at > clock)
      .map(({ what, at }) => `[C3] ${what} as of ${at}, by the commit ${sequence} with clock ${clock}`),
  );
}

/** O4: records of a key that sum up others come in log order; X2: none of the latter is still to be read. */
function checkSums({ kind }: JudgedWorld, commits: readonly DecidedCommit[]): string[] {
  const last = new Map<string, number>();
  return commits.flatMap(({ header: { position }, outputs }) =>
    outputs.flatMap((record) => {
      const { id, sums } = kind.word(record) ?? {};
      if (sums === undefined) return [];
      const key = textIn(record.key);
      const [from, to] = sums;
      const before = last.get(key) ?? -1;
      last.set(key, from);
      return [
        ...(from > before ? [] : [`[O4] ${key}: ${from} after ${before}`]),
        ...(to >= position ? [`[X2] ${String(id)} closes ahead of its records`] : []),
      ];
    }),
  );
}

/** I1: every bad record once. Those that the kind refuses for what lived then are no function of the log either, and ignored. */
function checkDeadLetters(world: JudgedWorld, partition: number, below: number): string[] {
  const { simulation, scenario, kind } = world;
  const clockAtEnd = endOfTime(simulation, scenario, partition);
  const { refused } = foldPartition(world, partition, { below: [below], clockAtEnd, whateverLived: true });
  const aside = refusedFor(simulation, partition, kind.judged.whateverLived.reasons);
  const letters = lettersOf(simulation, partition).flatMap(({ subject }) => subject?.offset ?? []);
  const [found, expected] = [letters, refused].map((offsets) => offsets.filter((offset) => !aside.has(offset))) as [
    number[],
    number[],
  ];
  const same = found.length === expected.length && found.every((offset, index) => offset === expected[index]);
  return same ? [] : [`[I1] dead letters of ${found.join(' ')}, the log has ${expected.join(' ')}`];
}
