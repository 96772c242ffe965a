// Two instances that share all partitions, killed, frozen, and cut off from the brokers.
import { oneOf } from '@flatline/lab-kinds';
import type { TrialContext } from '../scenario.ts';
import type { Child } from '../stage/child.ts';
import { dyingAt, type Failpoint } from '../stage/failpoints.ts';
import { sleep } from '../stage/sleep.ts';
import type { Trial } from '../trial/trial.ts';
import { endsItself } from './kills.ts';
import { bothShare, takeovers } from './stopped-process.ts';

/** Where what is kept beside a bare entry is said, or read back, each with the most passes that its life lasts for. */
const PLACES: readonly (readonly [place: Failpoint, passesMax: number])[] = [
  ['restore.block', 1],
  ['claim.written', 1],
  ['wheel.fired', 20],
  ['commit.cut', 20],
  ['commit.produced', 20],
  ['commit.endSent', 20],
  ['commit.ended', 20],
  ['commit.settled', 20],
];
/** The group's. */
export const SESSION_TIMEOUT_MS = 2_000;
/** At least; on a busy machine its partitions have not moved by then. */
const FROZEN_MS = 2 * SESSION_TIMEOUT_MS;
const MOVED_WITHIN_MS = 30_000;
const LOOK_MS = 100;
const OUTAGE_MAX_MS = 2_500;
const WARM_MS = 2_000;
/** Long enough for a fault to meet what the last one has left. */
const BETWEEN_MS = 1_500;
const NAMES = ['a', 'b'] as const;

type Name = (typeof NAMES)[number];

/** Both instances, of which each is replaced when it ends. */
type Pair = Record<Name, Child>;

const FAULTS = { kill, freeze, brokers } as const;

type FaultName = keyof typeof FAULTS;

/** Starts both, and has each of these faults happen to them. Returns those that are there in the end. */
export async function breakPair(trial: Trial, faults: readonly FaultName[]): Promise<readonly Child[]> {
  const [a, b] = await Promise.all([trial.started('a'), trial.started('b')]);
  const pair = { a, b };
  await sleep(WARM_MS);
  for (const fault of faults) {
    trial.armed += 1;
    await FAULTS[fault](trial, pair);
    await sleep(BETWEEN_MS);
  }
  return [pair.a, pair.b];
}

/** Each once, in an order that the seed draws; more as it draws them. */
export function faultsOf({ random, faults: count }: TrialContext): readonly FaultName[] {
  const names = Object.keys(FAULTS) as FaultName[];
  const left = [...names];
  return Array.from({ length: count ?? names.length }, () => {
    const chosen = oneOf(random, left.length > 0 ? left : names);
    left.splice(left.indexOf(chosen), left.length > 0 ? 1 : 0);
    return chosen;
  });
}

/** Twice: whenever it happens, and at a place of the life that follows. */
async function kill(trial: Trial, pair: Pair): Promise<void> {
  const { random } = trial.context;
  const name = oneOf(random, NAMES);
  await pair[name].kill9();
  const [place, passesMax] = oneOf(random, PLACES);
  const passes = 1 + random.below(passesMax);
  const dying = trial.processor(name, { edits: dyingAt(place, passes) });
  if (await endsItself(dying)) trial.hit();
  else trial.facts['missed'] = `${place}, ${passes} passes`;
  pair[name] = await trial.started(name);
}

/** Its partitions move, and it wakes up as a zombie. */
async function freeze(trial: Trial, pair: Pair): Promise<void> {
  const [zombie, other] = trial.context.random.chance(0.5) ? [pair.a, pair.b] : [pair.b, pair.a];
  await bothShare(zombie.lines, other.lines);
  const before = takeovers(other.lines);
  zombie.signal('SIGSTOP');
  await sleep(FROZEN_MS);
  const hasMoved = (): boolean => takeovers(other.lines) > before;
  for (let waitedMs = 0; waitedMs < MOVED_WITHIN_MS && !hasMoved(); waitedMs += LOOK_MS) await sleep(LOOK_MS);
  if (hasMoved()) trial.hit();
  else trial.facts['missed'] = 'a move while it was frozen';
  zombie.signal('SIGCONT');
}

async function brokers(trial: Trial): Promise<void> {
  const { random, broker } = trial.context;
  await Promise.all(broker.nodes.map((node) => node.kill9()));
  const isGone = broker.nodes.every(({ pid }) => pid === undefined);
  await sleep(random.below(OUTAGE_MAX_MS));
  await Promise.all(broker.nodes.map((node) => node.start()));
  if (isGone) trial.hit();
}
