// Worlds of look-ups until so many answers were judged.
import { runPool } from '../pool.ts';
import { failureText, tallyText } from '../report.ts';
import { Tally } from '../tally.ts';
import { liveLookUpWorld } from './look-up-world.ts';

/** Failures after which finding their cause beats finding more. */
const FAILURES_MAX = 10;
/** From so many answers on each of these must have been given, and each fault have happened. */
const REACH_ANSWERS_MIN = 20_000;
const REACHED = [
  'answer/live/owner',
  'answer/none/owner',
  'answer/live/standby',
  'answer/none/standby',
  'answer/moving/none',
  'answer/restoring/none',
  'inputMadeAgain',
  'rebalance',
  'memberExpired',
  ...[0, 1, 2, 3, 4, 5].map((act) => `lookUpAct/${act}`),
];

export interface LookUpCampaign {
  readonly answers: number;
  readonly from: number;
  readonly workers: number;
}

export async function lookUp({ answers, from, workers }: LookUpCampaign): Promise<number> {
  const tally = new Tally();
  const startedAt = performance.now();
  let seed = from;
  const judged = (): number => tally.fired.get('answers') ?? 0;
  await runPool({
    workers,
    next: () => {
      const isOver = judged() >= answers || tally.failures.length >= FAILURES_MAX;
      return isOver ? undefined : { seed: seed++, world: 'lookUps' };
    },
    onResult: (result) => {
      tally.add(result);
      if (result.violations.length > 0) console.log(textOf(failureText(result)));
    },
  });
  console.log(tallyText(tally, performance.now() - startedAt));
  const missed = judged() < REACH_ANSWERS_MIN ? [] : REACHED.filter((name) => !tally.fired.has(name));
  if (missed.length > 0) console.log(`INVALID: there never was ${missed.join(', ')}`);
  console.log(`${judged()} answers judged, ${tally.failures.length} worlds with a false one`);
  return tally.failures.length === 0 && missed.length === 0 ? 0 : 1;
}

export async function lookUpOnce(seed: number): Promise<number> {
  const result = await liveLookUpWorld(seed);
  console.log(result.fired.map(([name, count]) => `${name} ${count}`).join(', '));
  if (result.violations.length === 0) {
    console.log('nothing is violated');
    return 0;
  }
  console.log(textOf(failureText(result)));
  return 1;
}

function textOf(failure: string): string {
  return failure
    .replace('npm run worlds -- --seed', 'npm run worlds -- --look-ups 0 --seed')
    .replace(' --kind session', '');
}
