// F1: kill −9 at every named place, and at random.
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import type { Child } from '../stage/child.ts';
import { sleep } from '../stage/sleep.ts';
import { dyingAt, type Failpoint, failpoints } from '../stage/failpoints.ts';
import { Trial } from '../trial/trial.ts';

type Place = Failpoint | 'random';

const places: readonly Place[] = [...failpoints, 'random'];
/** The most critical places, for the sample of the gate. */
const sampled: readonly Place[] = ['commit.endSent', 'commit.produced'];
/** Passed only while a processor shuts down; the local store is written then, too. */
const whileEnding: readonly Failpoint[] = ['store.writing', 'store.written', 'shutdown.left', 'shutdown.committed'];
/** Passed once per partition while a life begins. */
const whileBeginning: readonly Failpoint[] = ['restore.loaded', 'restore.block', 'claim.opened', 'claim.written'];
/** From its start a processor needs about a second to own its tasks: random kills fall into starting, restoring and running. */
const RANDOM_LIFE_MS = 3_000;
const PASSES_MAX = 40;
/** From its start; a busy machine takes a minute or more to begin a life. */
const HIT_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 50;

export const kills: Scenario = {
  id: 'F1',
  title: 'kill −9 at named failpoints and at random',
  nodes: 1,
  variants: places.length,
  countsFaults: true,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const ends = endsOf(context);
  const trial = await Trial.begin(context);
  trial.variant = `${ends.length} × ${[...new Set(ends)].join(', ')}`;
  // Under traffic no proof needs to be asked for.
  const isQuiet = ends.includes('proof.asked');
  trial.load(isQuiet ? { ratePerSecond: 8, heartbeatMs: 400, beats: 2 } : {});
  for (const place of ends) {
    trial.armed += 1;
    if (place === 'random') await dieAtRandom(trial);
    else if (await dieAt(trial, place, isQuiet)) trial.hit();
  }
  const survivor = await trial.started();
  // Load for the survivor, so that a close can be late.
  await sleep(trial.application.timeoutMs);
  return trial.conclude([survivor]);
}

/** The places where a trial's lives end: for sessions all at one; for other kinds, which have fewer trials, each at the next one. */
function endsOf({ index, traffic: { sender }, faults, short }: TrialContext): readonly Place[] {
  const lives = faults ?? (short ? 3 : 4);
  const chosen = short ? sampled : places;
  const numberOf = (life: number): number => (sender.by === 'fleet' ? index : index * lives + life);
  return Array.from({ length: lives }, (_, life) => chosen[numberOf(life) % chosen.length]!);
}

async function dieAtRandom(trial: Trial): Promise<void> {
  const processor = trial.processor();
  await sleep(trial.context.random.below(RANDOM_LIFE_MS));
  const { signal } = await processor.kill9();
  if (signal === 'SIGKILL') trial.hit();
}

/** True if the process killed itself at that place. */
async function dieAt(trial: Trial, point: Failpoint, isQuiet: boolean): Promise<boolean> {
  const { random } = trial.context;
  const few = isQuiet || whileBeginning.includes(point) || whileEnding.includes(point);
  const passes = 1 + random.below(few ? (point === 'shutdown.left' ? 1 : trial.application.partitions) : PASSES_MAX);
  const processor = trial.processor('a', { edits: dyingAt(point, passes) });
  if (whileEnding.includes(point)) {
    // Each partition passes there once, and one that is still being restored has nothing to write.
    await allRun(processor, trial.application.partitions);
    await sleep(random.below(1_000));
    processor.signal('SIGTERM');
  }
  return endsItself(processor);
}

async function allRun(processor: Child, partitions: number): Promise<void> {
  const from = Date.now();
  while (processor.said(/task runs/).length < partitions && Date.now() - from < HIT_WITHIN_MS)
    await sleep(LOOK_EVERY_MS);
}

/** True if it does so by SIGKILL; killed otherwise after a while. */
export async function endsItself(processor: Child): Promise<boolean> {
  const { signal } = (await Promise.race([processor.ended, sleep(HIT_WITHIN_MS)])) ?? { signal: null };
  if (processor.ending === undefined) await processor.kill9();
  return signal === 'SIGKILL';
}
