// The output expected of a partition while the cluster runs: the oracle's fold of its input so far.
import type { Simulation } from '@flatline/cluster';
import { type SimulatedKind, textIn } from '@flatline/lab-kinds';
import {
  foldKind,
  inOneOrder,
  type InputRecord,
  type InputTruth,
  type KindFolded,
  letterRecord,
  type LetterRecord,
} from '@flatline/oracle';
import { isWildStamp } from '../devices.ts';
import { DEAD_LETTERS, INPUT, OUTPUT } from '../pipeline-names.ts';
import type { Scenario } from '../scenario.ts';
import { commitsOf, lastCommit } from './decisions.ts';
import { inputOf } from './histories.ts';

export interface JudgedWorld {
  readonly simulation: Simulation;
  readonly scenario: Scenario;
  readonly kind: SimulatedKind;
}

/** Facts that only the devices know. All other stamps lie in the past. */
export function devicesTruth(kind: SimulatedKind): InputTruth {
  return { refusalOf: (record) => refusalOf(kind, record), presentDecides: false };
}

interface FoldExtent {
  /** Only records below these offsets, of each input. */
  readonly below?: readonly number[];
  /** C3: how far evidence that no record tells has moved the clock at the end. */
  readonly clockAtEnd?: number;
  /** As if no record were refused for what lives. */
  readonly whateverLived?: boolean;
}

export function foldPartition(
  { simulation, scenario, kind }: JudgedWorld,
  partition: number,
  { below = [], clockAtEnd = 0, whateverLived = false }: FoldExtent = {},
): KindFolded {
  const { judged } = kind;
  const logs = [INPUT, ...scenario.furtherInputs.map(({ topic }) => topic)].map((topic, input) =>
    simulation.log
      .committed(topic, partition)
      .filter(({ offset }) => offset < (below[input] ?? Infinity))
      .map((record) => inputOf(record, judged)),
  );
  const { rules } = whateverLived ? judged.whateverLived : judged;
  // The processor is believed which records found no room (I7).
  const full = whateverLived ? new Set() : refusedFor(simulation, partition, ['state-full']);
  return foldKind(
    inOneOrder(logs, rules, ({ timestamp }) => isWildStamp(timestamp)),
    {
      partition,
      rules,
      origin: originOf(simulation, partition) ?? 0,
      clockAtEnd,
      refusalOf: (record) => refusalOf(kind, record),
      saysFull: (offset) => full.has(offset),
    },
  );
}

/** Work still to come of the present input; undefined: none. The commits are asked first, since they need no fold of the input. */
export function undoneIn(world: JudgedWorld, partition: number): string | undefined {
  return undoneByCommits(world, partition) ?? undoneByInput(world, partition);
}

/** Where settings change, the input alone does not tell which were in force when something came due. */
function undoneByInput(world: JudgedWorld, partition: number): string | undefined {
  const { simulation, scenario } = world;
  if (scenario.settings === 'change') return undefined;
  const { said, open } = foldPartition(world, partition, { clockAtEnd: endOfTime(simulation, scenario, partition) });
  if (open.size > 0) return `${[...open.keys()].join(' ')} live on by the input`;
  const found = simulation.log.committed(OUTPUT, partition).filter(({ value }) => value !== null).length;
  return found < said ? `${found} of ${said} records are said` : undefined;
}

function undoneByCommits({ simulation }: JudgedWorld, partition: number): string | undefined {
  const live = lastCommit(simulation, partition)?.liveEntries ?? 0;
  return live > 0 ? `${live} live on by the last commit` : undefined;
}

/** The origin that the first commit states, which is checked against the input (`Beginnings`); undefined: no commit (R3). */
export function originOf(simulation: Simulation, partition: number): number | undefined {
  return commitsOf(simulation, partition)[0]?.header.origin;
}

/** C3: the clock of the last commit; 0 where records alone move it. */
export function endOfTime(simulation: Simulation, { proof }: Scenario, partition: number): number {
  return proof === 'record' ? 0 : (lastCommit(simulation, partition)?.clock ?? 0);
}

/** Counts records as of instants that no record of the log had reached (C3). */
export function countSaidByFetch(world: JudgedWorld, partition: number): number {
  const { simulation, scenario, kind } = world;
  if (scenario.proof === 'record') return 0;
  const { steps } = foldPartition(world, partition);
  const said = commitsOf(simulation, partition).flatMap(({ header, outputs }) => {
    const clock = steps.findLast(({ offset }) => offset < header.position)?.clock ?? 0;
    return outputs.filter((record) => (kind.word(record)?.at ?? 0) > clock);
  });
  return said.length;
}

export function lettersOf({ log }: Simulation, partition: number): LetterRecord[] {
  return log.committed(DEAD_LETTERS, partition).map((record) => letterRecord(record));
}

/** Offsets of records that the processor says it has refused for one of these reasons. */
export function refusedFor(
  simulation: Simulation,
  partition: number,
  reasons: readonly string[],
): ReadonlySet<number | undefined> {
  const found = lettersOf(simulation, partition).filter(({ subject }) => reasons.includes(subject?.reason ?? ''));
  return new Set(found.map(({ subject }) => subject?.offset));
}

function refusalOf(kind: SimulatedKind, { timestamp, value }: InputRecord): 'stamp' | 'content' | undefined {
  if (isWildStamp(timestamp)) return 'stamp';
  return kind.failsAt(textIn(value)) ? 'content' : undefined;
}
