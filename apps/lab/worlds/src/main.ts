// `npm run worlds`: the pipeline in a simulated cluster, by seed.
import { flags, kindWanted, numberOf, partWanted, seedsWanted, worldWanted } from './flags.ts';
import { liveWanted } from './live-wanted.ts';
import { lookUp, lookUpOnce } from './looking/look-up-campaign.ts';
import { huntMutants } from './mutant-hunt.ts';
import { runPool } from './pool.ts';
import { Progress } from './progress.ts';
import { cutShortText, failureText, missedText, tallyText } from './report.ts';
import { liveWorld } from './world.ts';
import { resultOf, Tally, type WorldName } from './tally.ts';

/** Failures after which finding their cause beats finding more. */
const FAILURES_MAX = 10;

process.exitCode = await run();

function run(): Promise<number> {
  const { seed, 'look-ups': lookUps } = flags;
  const world = worldWanted();
  if (lookUps === undefined && seed !== undefined)
    return world === undefined ? rerun(numberOf('seed', seed)) : rerunOther(numberOf('seed', seed), world);
  if (lookUps === undefined) return simulate();
  const answers = numberOf('look-ups', lookUps);
  if (seed !== undefined) return lookUpOnce(numberOf('seed', seed));
  return lookUp({ answers, from: numberOf('from', flags.from), workers: numberOf('workers', flags.workers, 1) });
}

/** One seed in this process, with everything its processes logged. */
async function rerun(seed: number): Promise<number> {
  const report = await liveWorld(seed, kindWanted());
  console.log(JSON.stringify(report.scenario, undefined, 2));
  console.log(report.lines.join('\n'));
  console.log(`seed ${seed} (${report.kind}): ${report.virtualMs} ms, trace ${report.traceHash}`);
  if (report.violations.length === 0) {
    console.log('nothing is violated');
    return 0;
  }
  console.log(failureText(resultOf(report)));
  return 1;
}

async function rerunOther(seed: number, world: WorldName): Promise<number> {
  const result = await liveWanted({ seed, world });
  console.log(result.fired.map(([name, count]) => `${name} ${count}`).join(', '));
  console.log(result.violations.length === 0 ? 'nothing is violated' : failureText(result));
  return result.violations.length === 0 ? 0 : 1;
}

async function simulate(): Promise<number> {
  const from = numberOf('from', flags.from);
  const end = from + seedsWanted();
  const workers = numberOf('workers', flags.workers, 1);
  const minutes = flags.minutes === undefined ? Infinity : numberOf('minutes', flags.minutes, 1);
  const startedAt = performance.now();
  const endsAt = startedAt + minutes * 60_000;
  const tally = new Tally();
  const progress = new Progress(end - from, tally, startedAt);
  let seed = from;
  await runPool({
    workers,
    next: () => {
      const isOver = seed >= end || performance.now() >= endsAt || tally.failures.length >= FAILURES_MAX;
      return isOver ? undefined : { seed: seed++, kind: kindWanted(), world: worldWanted() };
    },
    onResult: (result) => {
      tally.add(result);
      if (result.violations.length > 0) progress.print(failureText(result));
      progress.update();
    },
  });
  progress.close();
  console.log(tallyText(tally, performance.now() - startedAt));
  const missed = missedText(tally, worldWanted(), kindWanted());
  if (missed !== undefined) console.log(missed);
  const isOfAll = worldWanted() === undefined && kindWanted() === undefined;
  const cutShort = isOfAll && tally.failures.length === 0 ? cutShortText(tally, end - from) : undefined;
  if (cutShort !== undefined) console.log(cutShort);
  const survivors = flags.mutants
    ? await huntMutants({ workers, kind: kindWanted(), world: worldWanted(), part: partWanted, records: flags.record })
    : 0;
  return tally.failures.length === 0 && missed === undefined && survivors === 0 ? 0 : 1;
}
