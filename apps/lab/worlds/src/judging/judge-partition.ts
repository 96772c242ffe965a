// Judges one partition's history, once the world has come to rest: by the oracle, and by facts that only the simulated cluster has.
import type { LogRecord, SimulatedDisk } from '@flatline/cluster';
import { type JudgedRules, verifyHistories } from '@flatline/oracle';
import { CHANGELOG, INPUT, OUTPUT } from '../pipeline-names.ts';
import { commitsOf } from './decisions.ts';
import { devicesTruth, type JudgedWorld } from './expectation.ts';
import { historyOf } from './histories.ts';
import { checkErasures } from './erasures.ts';
import { checkOffsets, checkStands, checkTruncations, checkWriters } from './lab-checks.ts';
import { lengthRules } from './length-rules.ts';
import { BY_THE_FOLD, checkOvertaken } from './overtaken.ts';
import { checkSettingsKept, type SaidSettings, settingsSaid } from './settings-said.ts';

/** Outcome of a partition. */
export interface PartitionFate {
  /** True if proof by fetch is known to have been wrong (C3). */
  readonly isOvertaken: boolean;
  /** True if a commit states a clock by a record that an unclean election removed. */
  readonly isClockByLostRecord: boolean;
  /** True if the changelog has lost commits (F26), and the partition has stopped. */
  readonly isChangelogLost: boolean;
  /** Set if the input has lost records that were read, and the partition has stopped (R3): its former content. */
  readonly inputRead: readonly LogRecord[] | undefined;
  /** Why work may be left undone; undefined: all of it must be done. */
  readonly undone: string | undefined;
  /** The disk of the last process to leave cleanly, if there is one (V8). */
  readonly disk?: SimulatedDisk | undefined;
}

interface JudgedOutput {
  readonly topic: string;
  readonly rules: JudgedRules;
  readonly settings: SaidSettings | undefined;
}

/** Findings that the oracle may leave undecided: evidence that no log tells (C3), and unfinished work. */
const BY_FETCH = /whether closes were early \(V3\): by proof "fetch"/;
/** Only if the processor itself says that its clock was overtaken. */
const OVERTAKEN = /by which these logs cannot be judged|what closed since a clock was overtaken/;
/** A commit's clock that was moved by a lost record. */
const CLOCK_SAID = /says the clock is/;
/** In a world whose judge has one key of two. */
const OTHER_KEY = /of these values only the form is checked \(E1\)|a key that is not at hand \(E1\)/;
const UNDONE = /^\S+: (?:no commit covers|whether \d+ \w+ that are due)/;

/** Violations, each with its rule; empty: none. */
export async function judgePartition(world: JudgedWorld, partition: number, fate: PartitionFate): Promise<string[]> {
  const { simulation, scenario } = world;
  const { isOvertaken, isChangelogLost, inputRead } = fate;
  const commits = commitsOf(simulation, partition);
  const settings = scenario.settings === 'unsaid' ? undefined : await settingsSaid(simulation, partition);
  const { rules, targets } = world.kind.judged;
  const lengths = lengthRules(scenario, commits);
  const said: string[] = [];
  for (const output of [{ topic: OUTPUT, rules }, ...targets]) {
    const judged = { ...output, rules: { ...output.rules, ...lengths }, settings };
    said.push(...(await byTheOracle(world, partition, fate, judged)));
  }
  return [
    // Faults of the other logs are found each time.
    ...new Set(said),
    ...(settings === undefined || isChangelogLost ? [] : await checkSettingsKept(simulation, partition, settings)),
    ...(isOvertaken ? checkOvertaken(world, partition, commits) : []),
    ...checkWriters(partition, commits),
    ...checkOffsets(simulation, scenario, commits),
    ...(inputRead === undefined && !isChangelogLost ? checkStands(simulation, partition, commits) : []),
    ...(isChangelogLost ? [] : checkTruncations(simulation, scenario, partition, commits)),
    ...(isChangelogLost || inputRead !== undefined
      ? []
      : checkErasures(
          simulation,
          partition,
          scenario.furtherInputs.map(({ topic }) => topic),
        )),
  ].map((violation) => `partition ${partition}: ${violation}`);
}

async function byTheOracle(
  { simulation, scenario, kind }: JudgedWorld,
  partition: number,
  { isOvertaken, isClockByLostRecord, isChangelogLost, inputRead, undone, disk }: PartitionFate,
  { topic: outputTopic, rules, settings }: JudgedOutput,
): Promise<string[]> {
  const isUndecided = isOvertaken || isClockByLostRecord;
  const { judged } = kind;
  const common = { judged, simulation, partition, truth: devicesTruth(kind), settings };
  const furtherInputs = scenario.furtherInputs.map(({ topic }) => topic);
  const history = historyOf({ ...common, outputTopic, inputRead, undone, disk, furtherInputs });
  const { violations, undecided } = await verifyHistories([history], {
    rules,
    inputTopic: INPUT,
    ...(isUndecided && { undecidable: BY_THE_FOLD }),
  });
  const expected = [
    OTHER_KEY,
    ...(scenario.proof === 'fetch' ? [BY_FETCH] : []),
    ...(isUndecided ? [OVERTAKEN] : []),
    ...(undone === undefined ? [] : [UNDONE]),
  ];
  // A commit under way when its log was lost states that log's floor. From that the task has learned of the loss, and stopped (R3).
  return [
    ...violations
      .filter(({ rule, topic }) => !(isChangelogLost && rule === 'K3' && topic === CHANGELOG))
      .filter(({ rule, what }) => !(isClockByLostRecord && rule === 'R1' && CLOCK_SAID.test(what)))
      // Which windows are over is said by that clock, too.
      .filter(({ rule }) => !(isClockByLostRecord && rule === 'S12'))
      .map(({ rule, topic, offset, what }) => `[${rule}] ${topic} ${offset ?? ''}: ${what}`),
    ...undecided.filter((what) => !expected.some((each) => each.test(what))).map((what) => `undecided: ${what}`),
  ];
}
