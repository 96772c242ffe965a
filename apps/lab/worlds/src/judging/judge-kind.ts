// One partition of a kind that the oracle folds as a whole: what was said, against what its input says by the rules; and each
// commit against its own clock.
import type { LogRecord, Simulation } from '@flatline/cluster';
import { letterRecord } from '@flatline/oracle';
import { type ExpectedWords, type SimulatedKind, textIn } from '../kinds/simulated-kind.ts';
import { DEAD_LETTERS, INPUT, MAX_KEY_BYTES, OUTPUT } from '../pipeline-names.ts';
import { commitsOf } from './decisions.ts';

export interface KindFate {
  /** What was in the input before it lost what was read of it (R3). */
  readonly inputRead: readonly LogRecord[] | undefined;
  /** Why work may be left undone; undefined: none is. */
  readonly undone: string | undefined;
}

const TEXT_MAX = 240;

/** What is found wrong, each with the rule that it breaks. Empty: nothing. */
export function judgeKind(
  simulation: Simulation,
  kind: SimulatedKind,
  partition: number,
  { inputRead, undone }: KindFate,
): string[] {
  const { said, refused } = expectedOf(simulation, kind, partition, inputRead);
  const found = recordsByKey(simulation, partition);
  const keys = [...new Set([...said.keys(), ...found.keys()])];
  const isDone = undone === undefined;
  return [
    ...[...found].flatMap(([key, records]) => kind.faultsAmong(records).map((fault) => `${fault} (key ${key})`)),
    ...keys.flatMap((key) => {
      const texts = (found.get(key) ?? []).map((record) => kind.word(record).text);
      return differences(said.get(key) ?? [], texts, isDone).map((what) => `${what} (key ${key})`);
    }),
    ...checkEvidence(simulation, kind, partition),
    ...checkLetters(simulation, partition, refused, isDone),
  ];
}

/** What is still to be said of the input as it is; undefined: nothing. */
export function unsaidIn(simulation: Simulation, kind: SimulatedKind, partition: number): string | undefined {
  const { said } = expectedOf(simulation, kind, partition);
  const wanted = [...said.values()].reduce((sum, { length }) => sum + length, 0);
  const found = simulation.log.committed(OUTPUT, partition).length;
  return found < wanted ? `${found} of ${wanted} records are said` : undefined;
}

export function countWords({ log, faults }: Simulation, kind: SimulatedKind, name: string, partition: number): void {
  for (const record of log.committed(OUTPUT, partition)) faults.count(`${name}/${kind.word(record).what}`);
}

function expectedOf(
  { log }: Simulation,
  kind: SimulatedKind,
  partition: number,
  inputRead?: readonly LogRecord[],
): ExpectedWords {
  return kind.expect((inputRead ?? log.committed(INPUT, partition)).map(withSoundKey), partition);
}

/** The engine refuses a key that is too long, whatever the kind (I3): to a fold it is a record without a key. */
function withSoundKey(record: LogRecord): LogRecord {
  const isTooLong = record.key !== null && record.key.length > MAX_KEY_BYTES;
  return isTooLong ? { ...record, key: null, headers: [] } : record;
}

function recordsByKey({ log }: Simulation, partition: number): ReadonlyMap<string, readonly LogRecord[]> {
  return Map.groupBy(log.committed(OUTPUT, partition), ({ key }) => textIn(key));
}

/** C5: the first record that is another than the rules say; X5: what is missing at the end. */
function differences(wanted: readonly string[], found: readonly string[], isDone: boolean): string[] {
  const at = found.findIndex((text, index) => text !== wanted[index]);
  if (at >= 0)
    return [
      `[C5] record ${at} is ${found[at]!.slice(0, TEXT_MAX)}; by the input ${wanted[at]?.slice(0, TEXT_MAX) ?? 'none'}`,
    ];
  return isDone && found.length < wanted.length ? [`[X5] ${found.length} of ${wanted.length} records are said`] : [];
}

/** X1: nothing is said as of later than the clock that its commit states. */
function checkEvidence(simulation: Simulation, kind: SimulatedKind, partition: number): string[] {
  return commitsOf(simulation, partition).flatMap(({ header, outputs }) =>
    outputs
      .map((record) => kind.word(record))
      .filter(({ at }) => at > header.clock)
      .map(({ what, at }) => `[X1] ${what} as of ${at}, by the commit ${header.sequence} with clock ${header.clock}`),
  );
}

/** I1: every bad record once, and no other. */
function checkLetters({ log }: Simulation, partition: number, refused: readonly number[], isDone: boolean): string[] {
  const found = log.committed(DEAD_LETTERS, partition).map((record) => letterRecord(record).subject?.offset);
  const isBeginning = found.every((offset, index) => offset === refused[index]);
  if (isBeginning && (!isDone || found.length === refused.length)) return [];
  return [`[I1] dead letters of ${found.join(' ')}, by the input of ${refused.join(' ')}`];
}
