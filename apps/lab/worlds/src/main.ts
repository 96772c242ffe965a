// `npm run worlds -- [--seeds N] [--from S] [--seed S] [--minutes M] [--workers N] [--mutants]`: the pipeline in a simulated
// cluster, by seed. Exit code 0 if and only if nothing was violated, every fault happened, and every mutant was caught.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { huntMutants } from './mutant-hunt.ts';
import { runPool } from './pool.ts';
import { Progress } from './progress.ts';
import { failureText, missedText, runText } from './report.ts';
import { runSeed } from './seed-run.ts';
import { resultOf, Tally } from './tally.ts';

/** Then the cause is worth a look before more of its kind are found. */
const FAILURES_MAX = 10;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    workers: { type: 'string', default: String(availableParallelism()) },
    mutants: { type: 'boolean', default: false },
  },
});

process.exitCode = values.seed === undefined ? await simulate() : await rerun(wholeNumber('seed', values.seed));

/** One seed in this process, with everything its processes logged. */
async function rerun(seed: number): Promise<number> {
  const report = await runSeed(seed);
  console.log(JSON.stringify(report.scenario, undefined, 2));
  console.log(report.lines.join('\n'));
  console.log(`seed ${seed}: ${report.virtualMs} ms, trace ${report.traceHash}`);
  if (report.violations.length === 0) {
    console.log('nothing is violated');
    return 0;
  }
  console.log(failureText(resultOf(report)));
  return 1;
}

async function simulate(): Promise<number> {
  const from = wholeNumber('from', values.from);
  const end = from + wholeNumber('seeds', values.seeds);
  const workers = wholeNumber('workers', values.workers);
  const startedAt = performance.now();
  const endsAt = startedAt + Number(values.minutes) * 60_000;
  const tally = new Tally();
  const progress = new Progress(end - from, tally, startedAt);
  let seed = from;
  await runPool({
    workers,
    next: () => {
      const isOver = seed >= end || performance.now() >= endsAt || tally.failures.length >= FAILURES_MAX;
      return isOver ? undefined : seed++;
    },
    onResult: (result) => {
      tally.add(result);
      if (result.violations.length > 0) progress.print(failureText(result));
      progress.update();
    },
  });
  progress.close();
  console.log(runText(tally, performance.now() - startedAt));
  const missed = missedText(tally);
  if (missed !== undefined) console.log(missed);
  const survivors = values.mutants ? await huntMutants(workers) : 0;
  return tally.failures.length === 0 && missed === undefined && survivors === 0 ? 0 : 1;
}

function wholeNumber(name: string, value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`--${name} is ${value}, wanted a whole number`);
  process.exit(2);
}
