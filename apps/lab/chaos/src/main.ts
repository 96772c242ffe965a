// `npm run chaos`: runs faults against processors on a real broker, and reports the results.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Portion, runCampaign } from './campaign.ts';
import { isGreen, joined, markdown, type ScenarioTrials, type ScenarioSummary, summarize } from './report.ts';
import type { Scenario } from './scenario.ts';
import { scenariosByKind } from './scenarios/by-kind.ts';
import { sample, scenarios } from './scenarios/index.ts';
import { type Guard, guards } from './stage/guards.ts';
import { table, tableByKind, TRIALS_BY_KIND } from './table.ts';

interface Flags {
  readonly scenario: string;
  readonly trials?: number;
  readonly faults?: number;
  readonly minutes?: number;
  readonly part?: Part;
  readonly first: number;
  readonly seed: number;
  readonly report: string;
  readonly unsafe?: Guard;
}

interface Part {
  readonly index: number;
  readonly of: number;
}

const MINUTES_BY_TABLE = 10;

const HELP = `
Exit code 0: every trial was valid and nothing was violated. 1: otherwise. 2: wrong flags.

Examples:
  $ npm run chaos -- --scenario F1
  $ npm run chaos -- --scenario F1,F9 --trials 19 --seed 100
  $ npm run chaos -- --scenario all
`;

const root = fileURLToPath(new URL('../../../..', import.meta.url));

const known = [...scenarios, ...scenariosByKind];
const lasting = known.filter(({ takesMinutes }) => takesMinutes).map(({ id }) => id);
const counting = known.filter(({ countsFaults }) => countsFaults).map(({ id }) => id);

const program = new Command('npm run chaos --')
  .description('Breaks processors, networks and brokers on purpose, and checks that nothing is lost, doubled or early.')
  .requiredOption(
    '--scenario <ids>',
    `${known.map(({ id }) => id).join(', ')}, several with commas; ci: the sample of the gate; all: each variant of each once, of sessions; kinds: those of other kinds, ${TRIALS_BY_KIND} trials of each; table: as often as the table of faults asks`,
  )
  .option('--trials <n>', 'trials of each scenario (default: each of its variants once; of ci fewer)', positive)
  .option('--faults <n>', `faults per trial, of ${counting.join(', ')} (default: a few)`, positive)
  .option('--minutes <n>', `how long, of ${lasting.join(', ')} (default: one)`, positive)
  .option('--first <n>', 'number of the first trial: with --trials 1 it repeats one of a longer campaign', positive, 1)
  .option('--part <i/n>', 'of table and kinds: only the ith of n parts, each a campaign with a broker of its own', part)
  .option('--seed <s>', 'seed of the first trial; each further one is one more', positive, 1)
  .option('--report <path>', 'where the report goes, without .md and .json', join(root, '.flatline/chaos/report'))
  .addOption(new Option('--unsafe <guard>', 'processors without a guard, to see the scenario fail').choices(guards))
  .addHelpText('after', HELP)
  .showHelpAfterError('Add --help for the flags and examples.')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

process.exit(await main(program.parse().opts<Flags>()));

async function main(flags: Flags): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stop.abort(new Error(`stopped by ${signal}`));
    });
  const startedAt = new Date();
  const since = performance.now();
  const short = flags.scenario === 'ci';
  const byTable = flags.scenario === 'table';
  const portions = partOf(portionsOf(flags), flags);
  // A setting that is accepted and ignored would be worse than an error.
  if (flags.minutes !== undefined && !byTable && portions.some(({ scenario }) => !scenario.takesMinutes))
    program.error(`--minutes ${flags.minutes}: only of ${lasting.join(', ')}`);
  if (flags.faults !== undefined && portions.some(({ scenario }) => !scenario.countsFaults))
    program.error(`--faults ${flags.faults}: only of ${counting.join(', ')}; others have a number of their own`);
  if (flags.part !== undefined && !byTable && flags.scenario !== 'kinds')
    program.error('--part: only of --scenario table and kinds');
  const log = (line: string): void => {
    console.log(line);
  };
  const { seed, unsafe } = flags;
  const minutes = flags.minutes ?? (byTable ? MINUTES_BY_TABLE : undefined);
  const facts = {
    command: commandOf(flags),
    seed,
    commit: commitOf(),
    machine: machine(),
    startedAt: startedAt.toISOString(),
    unsafe,
    broker: 'Apache Kafka started by libs/lab/dev-broker on the same machine, one node or three, default durability',
  };
  let summaries: readonly ScenarioSummary[] = [];
  const onProgress = (soFar: readonly ScenarioTrials[]): void => {
    summaries = joined(soFar).map(summarize);
    const load = loadavg().map((each) => each.toFixed(1));
    const present = { ...facts, durationMs: performance.now() - since, load: load.join(', ') };
    write(flags.report, markdown(present, summaries), { ...present, scenarios: summaries });
  };
  onProgress(await runCampaign({ portions, short, unsafe, minutes, log, signal: stop.signal, onProgress }));
  const sum = (field: 'passed' | 'trials'): number => summaries.reduce((total, each) => total + each[field], 0);
  log(`report: ${flags.report}.md`);
  log(`${sum('passed')} passed, ${sum('trials') - sum('passed')} failed`);
  return summaries.every(isGreen) ? 0 : 1;
}

function portionsOf({ scenario: text, trials, faults, first, seed }: Flags): readonly Portion[] {
  if (text === 'kinds') return tableByKind({ trials, first, seed, faults });
  if (text === 'table') {
    if (trials !== undefined || faults !== undefined || first !== 1)
      program.error('--scenario table has its own --trials, --faults and --first');
    return table(seed);
  }
  const trialsOf = ({ id, variants }: Scenario): number => trials ?? (text === 'ci' ? (sample.get(id) ?? 1) : variants);
  return choose(text).map((scenario) => ({ scenario, trials: trialsOf(scenario), first, seed, faults }));
}

/** Every nth, so that parts take about equally long. */
function partOf(
  portions: readonly Portion[],
  { part: { index, of } = { index: 1, of: 1 } }: Flags,
): readonly Portion[] {
  return portions.filter((_, number) => number % of === index - 1);
}

function choose(text: string): readonly Scenario[] {
  if (text === 'all') return scenarios;
  const ids = text === 'ci' ? [...sample.keys()] : text.split(',');
  return ids.map((id) => {
    const found = known.find((scenario) => scenario.id === id);
    if (found !== undefined) return found;
    return program.error(
      `--scenario ${id}: there is none; those there are: ${known.map((each) => each.id).join(', ')}`,
    );
  });
}

function commandOf({ scenario, trials, faults, minutes, first, part: taken, seed, unsafe }: Flags): string {
  const count =
    (trials === undefined ? '' : ` --trials ${trials}`) +
    (faults === undefined ? '' : ` --faults ${faults}`) +
    (minutes === undefined ? '' : ` --minutes ${minutes}`) +
    (first === 1 ? '' : ` --first ${first}`) +
    (taken === undefined ? '' : ` --part ${taken.index}/${taken.of}`);
  return `npm run chaos -- --scenario ${scenario}${count} --seed ${seed}${unsafe === undefined ? '' : ` --unsafe ${unsafe}`}`;
}

function part(text: string): Part {
  const [index = 0, of = 0] = text.split('/').map(Number);
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(of) || index < 1 || of < index)
    throw new InvalidArgumentError('i/n with 1 ≤ i ≤ n, for example 1/2');
  return { index, of };
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('a whole number of at least 1');
  return value;
}

function commitOf(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown'; // not a working copy
  }
}

function machine(): string {
  const [cpu] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${gigabytes} GB, ${process.platform} ${process.arch}, Node ${process.version}`;
}

function write(path: string, text: string, data: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.md`, `${text.trimEnd()}\n`);
  writeFileSync(`${path}.json`, `${JSON.stringify(data, undefined, 2)}\n`);
}
