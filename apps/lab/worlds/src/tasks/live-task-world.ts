import type { SeedResult } from '../tally.ts';
import { DUE, LOCKS, RESULTS, TASKS } from './scenario.ts';
import { judgeTasks, type TaskEvidence, unfinishedIn } from './task-judge.ts';
import { reachedIn } from './task-reach.ts';
import { TaskWorld } from './task-world.ts';

/** Findings of one world that are told. */
const FINDINGS_MAX = 5;
const LINES_MAX = 60;
const text = new TextDecoder();

export async function liveTaskWorld(seed: number): Promise<SeedResult> {
  const world = new TaskWorld(seed);
  const { time, faults } = world.simulation;
  const violations = await judged(world).catch((error: unknown) => [
    String(error instanceof Error ? error.stack : error),
  ]);
  return {
    seed,
    kind: undefined,
    world: 'tasks',
    violations: violations.slice(0, FINDINGS_MAX),
    virtualMs: time.nowMs,
    fired: [...faults.fired(), ...reachedIn(evidenceOf(world))],
    lines: violations.length > 0 ? world.lines.slice(-LINES_MAX) : [],
  };
}

async function judged(world: TaskWorld): Promise<readonly string[]> {
  await world.live(() => unfinishedIn(evidenceOf(world)).length === 0);
  return [...world.failures, ...world.ledger.breaches, ...judgeTasks(evidenceOf(world))];
}

function evidenceOf({ simulation, scenario, ledger }: TaskWorld): TaskEvidence {
  const committed = (topic: string) =>
    Array.from({ length: scenario.partitions }, (_, partition) => simulation.log.committed(topic, partition));
  return {
    rules: { ...scenario, runs: DUE },
    // A record that a leader lost before it was replicated was not acknowledged.
    asked: [
      ...new Set(
        committed(`${TASKS}-in`)
          .flat()
          .flatMap(({ key }) => (key === null ? [] : [text.decode(key)])),
      ),
    ],
    runs: committed(DUE),
    results: committed(RESULTS),
    requests: committed(`${LOCKS}-in`),
    answers: committed(LOCKS),
    ledger,
  };
}
