import {
  BENCHMARKS,
  drawLastProfile,
  EVENT_FORMATS,
  type EventFormat,
  machineLoad,
  PEER_NAMES,
  type PeerName,
  PROFILE_VARIABLE,
  reportPages,
  REPORTS,
  type Surroundings,
  thisMachine,
  yardstick,
  yardstickText,
} from '@flatline/bench';
import { Fatal } from '@flatline/base';
import { type Command, InvalidArgumentError } from 'commander';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ExitCode } from '../exit-code.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import type { CommandContext } from '../commands/context.ts';
import { integerFrom, jsonOption } from '../commands/flags.ts';

interface BenchFlags {
  readonly events?: number;
  readonly sessions?: number;
  readonly partitions?: number;
  readonly repeats?: number;
  readonly minutes?: number;
  readonly format?: EventFormat;
  readonly peers?: readonly PeerName[];
  readonly out?: string;
  readonly report?: boolean;
  readonly flame?: boolean;
  readonly json?: boolean;
}

const FLAME_GRAPH = `${REPORTS}/flame.svg`;

/** A process that is about to end may still write. */
const REMOVAL_TRIES = 5;

type Benchmark = (typeof BENCHMARKS)[number];
type Measured = Parameters<typeof reportPages>[0];
type Machine = Measured['machine'];

export function addBenchCommand(program: Command, context: CommandContext): void {
  let chosen = BENCHMARKS[0]!;
  program
    .command('bench')
    .description('measure beside peers in the same run, each contender in a process of its own')
    .argument('[name]', `one of ${BENCHMARKS.map(({ name }) => name).join(', ')}`, (name: string) => {
      chosen = benchmarkNamed(name);
      return name;
    })
    .option('--events <n>', 'events in the topic (default: 6 million; throughput: 30 million)', integerFrom(1))
    .option('--sessions <n>', 'sessions that live all the while (default: 200 thousand)', integerFrom(1))
    .option('--partitions <n>', 'partitions of the topic (default: 4)', integerFrom(1, 1_000))
    .option('--repeats <n>', 'turns of each contender (default: 3)', integerFrom(1, 100))
    .option('--minutes <n>', 'memory: how long sessions come and go (default: not at all)', integerFrom(1, 10_000))
    .option('--format <bare|json|avro>', 'only heartbeats of this format (default: all)', formatNamed)
    .option(
      '--peers <names>',
      `programs to measure beside it, comma-separated: ${PEER_NAMES.join(', ')}; all or none (default: those that are built)`,
      peersNamed,
    )
    .option('--out <file>', 'also write every figure to this file, as JSON')
    .option('--report', `write a page with charts, and every figure, to ${REPORTS}`)
    .option('--flame', `draw where Flatline's last measured process spent its CPU time, to ${FLAME_GRAPH}`)
    .addOption(jsonOption())
    .addHelpText('after', benchHelp)
    // The name has been read above: commander would hand it in before the flags.
    .action((_name: string | undefined, flags: BenchFlags) =>
      context.action<BenchFlags>((given, console) => bench(chosen, given, console, context.shell))(flags),
    );
}

const benchHelp = `
${BENCHMARKS.map(({ name, description }) => `  ${name.padEnd(11)} ${description}`).join('\n')}

Uses the broker of KAFKA_BROKERS, else one of its own that it removes. Figures per CPU second and ratios within a run
say more than rates on a machine that does other things too. A peer named by --peers is fetched and built on its
first use; one that cannot run here is named with what it lacks (Java 17 and Maven, Go 1.26, redis-server, postgresql,
Python 3.11, gcc); without the option those run that are there already.

Examples:
  $ flatline bench
  $ flatline bench throughput --peers kafka-streams,redis
  $ flatline bench throughput --repeats 5 --out throughput.json
  $ flatline bench throughput --sessions 2000000 --format bare --repeats 2
  $ flatline bench leases --peers none
`;

async function bench(chosen: Benchmark, flags: BenchFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { events, sessions, partitions, repeats, minutes, format, peers, out } = flags;
  const profiles = flags.flame === true ? profileFolder(shell) : undefined;
  // One per run, so that a stopped run leaves nothing behind.
  const workDir = resolve(shell.folder, '.flatline', 'bench', randomUUID());
  const machine = thisMachine();
  if (flags.report === true && machine.isDirty) throw new Fatal(dirtyText(machine.commit));
  const before = await surroundings();
  const measuring = chosen.run({
    events,
    sessions,
    partitions,
    repeats,
    minutes,
    peers,
    workDir,
    formats: format === undefined ? undefined : [format],
    onProgress: (what) => {
      console.note(what);
    },
  });
  measuring.catch(() => undefined);
  const report = await Promise.race([measuring, shell.stop.requested]).finally(() => {
    rmSync(workDir, { recursive: true, force: true, maxRetries: REMOVAL_TRIES });
  });
  // Children still running end with this process.
  if (report === undefined) return ExitCode.interrupted;
  if (out !== undefined) writeReport(resolve(shell.folder, out), report.figures);
  if (flags.report === true) {
    const around = { before, after: await surroundings() };
    const said = { machine: { ...machine, isDirty: isChanged(machine) }, ...around, report };
    for (const file of writePages(chosen, flags, said, shell.folder)) console.note(`written: ${file}`);
  }
  if (profiles !== undefined) {
    writeFlameGraph(profiles, commandOf(chosen.name, flags), shell.folder);
    console.note(`written: ${FLAME_GRAPH}`);
  }
  const text = `${report.text}\n\nyardstick of the machine before the run: ${yardstickText(before.yardstick)}`;
  console.result({ benchmark: chosen.name, before, ...report.figures }, text);
  return ExitCode.ok;
}

async function surroundings(): Promise<Surroundings> {
  return { load: await machineLoad(), yardstick: await yardstick() };
}

/** True if the tree has changed since the run began: sources are read as processes start. */
function isChanged({ commit }: Machine): boolean {
  const now = thisMachine();
  return now.isDirty || now.commit !== commit;
}

function dirtyText(commit: string): string {
  return (
    `--report publishes what one commit does, and files have been changed since ${commit} (\`git status\` names them): ` +
    'commit or undo the changes, or leave out --report'
  );
}

/** Where the processes to be measured write their profiles. */
function profileFolder({ folder }: Shell): string {
  return (process.env[PROFILE_VARIABLE] ??= resolve(folder, '.flatline', 'bench-profiles'));
}

function writeFlameGraph(profiles: string, command: string, folder: string): void {
  const svg = drawLastProfile(profiles, 'flatline', `CPU time of Flatline's main thread: ${command}`);
  mkdirSync(resolve(folder, REPORTS), { recursive: true });
  writeFileSync(resolve(folder, FLAME_GRAPH), svg);
}

function writeReport(file: string, figures: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`);
}

function writePages(
  { name, description }: Benchmark,
  flags: BenchFlags,
  measured: Pick<Measured, 'machine' | 'before' | 'after' | 'report'>,
  folder: string,
): readonly string[] {
  const pages = reportPages({
    benchmark: name,
    description,
    ...measured,
    command: commandOf(name, flags),
    day: new Date().toISOString().slice(0, 10),
  });
  mkdirSync(resolve(folder, REPORTS), { recursive: true });
  return pages.map(({ file, content }) => {
    writeFileSync(resolve(folder, REPORTS, file), content);
    return `${REPORTS}/${file}`;
  });
}

/** Command that measures the same again. */
function commandOf(name: string, flags: BenchFlags): string {
  const { events, sessions, partitions, repeats, minutes, format, peers } = flags;
  const given = { events, sessions, partitions, repeats, minutes, format, peers: peers?.join(',') };
  const options = Object.entries(given).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option} ${value === '' ? 'none' : value}`],
  );
  return ['flatline bench', name, ...options].join(' ');
}

function benchmarkNamed(name: string): Benchmark {
  const found = BENCHMARKS.find((each) => each.name === name);
  if (found === undefined)
    throw new InvalidArgumentError(`It must be one of ${BENCHMARKS.map((each) => each.name).join(', ')}.`);
  return found;
}

function formatNamed(text: string): EventFormat {
  const found = EVENT_FORMATS.find((each) => each === text);
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${EVENT_FORMATS.join(', ')}.`);
  return found;
}

function peersNamed(text: string): readonly PeerName[] {
  if (text === 'none') return [];
  if (text === 'all') return PEER_NAMES;
  const names = text.split(',').map((name) => PEER_NAMES.find((each) => each === name));
  if (names.includes(undefined))
    throw new InvalidArgumentError(`It must be all, none, or some of ${PEER_NAMES.join(', ')}.`);
  return names as PeerName[];
}
