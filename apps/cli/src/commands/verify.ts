import type { DurationMs } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import { type LedgerLine, REACH_COUNTERS, type ReachCounter, type VerificationReport } from '@flatline/oracle';
import { verifyPipeline } from '@flatline/verifier';
import { type Command, InvalidArgumentError } from 'commander';
import { connect, kafkaOf, registryOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { ProgressDisplay } from '../terminal/progress-display.ts';
import { readLedger } from '../verifying/ledger-lines.ts';
import { reportText } from '../verifying/report-text.ts';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, jsonOption } from './flags.ts';

interface VerifyFlags extends ConfigurationFlags {
  readonly pipeline?: string;
  readonly ledger?: string;
  readonly reach?: Partial<Record<ReachCounter, number>>;
  readonly complete?: boolean;
  readonly json?: boolean;
}

export function addVerifyCommand(program: Command, context: CommandContext): void {
  program
    .command('verify')
    .description(
      `check input, changelog and output against the rules; exit code ${ExitCode.failedCheck} on a violation, with what and where`,
    )
    .option('--pipeline <name>', 'only this pipeline of the configuration (default: all)')
    .option('--ledger <file>', 'what `flatline simulate --ledger` says it sent: nothing of it may be missing')
    .option('--reach <counter=n...>', 'what must have happened at least so often, or the run proves nothing', reachOf)
    .option(
      '--complete',
      'all input must be covered by commits and everything due be closed, though no processor runs that could still do it',
    )
    .option('--state-dir <folder>', 'also compare the local stores there, of a processor that was stopped')
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', VERIFY_HELP)
    .action(context.action<VerifyFlags>((flags, console) => runVerify(flags, console, context.shell)));
}

const NAMES_PER_LINE = 7;
const VERIFY_HELP = `
Reads the topics up to their present ends and changes nothing. Every session that the input opened must be closed once, as the
input says, in the transaction that says so in the changelog. Processors may run meanwhile: what they do while this reads is
left out.

Counters for --reach:
${linesOf(REACH_COUNTERS)}

Examples:
  $ flatline verify
  $ flatline verify --config shop.config.json --ledger fleet.jsonl
  $ flatline verify --json --reach claims=5 abortedTransactions=1
`;

function linesOf(names: readonly string[]): string {
  const lines: string[] = [];
  for (let at = 0; at < names.length; at += NAMES_PER_LINE)
    lines.push(`  ${names.slice(at, at + NAMES_PER_LINE).join(', ')}`);
  return lines.join(',\n');
}

async function runVerify(flags: VerifyFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const config = await configurationOf(shell, flags);
  const pipelines = pipelinesOf(config, flags.pipeline);
  const ledger = flags.ledger === undefined ? undefined : readLedger(shell.folder, flags.ledger);
  if (ledger !== undefined && pipelines.length > 1)
    throw usageFailure('--ledger tells of one input: say of which pipeline with --pipeline');
  const kafka = kafkaOf(config, shell.clock);
  // A person who waits hears at once that no broker answers.
  (await connect(kafka, shell.stop)).close();
  let violations = 0;
  for (const pipeline of pipelines) {
    const report = await verify(pipeline, { flags, config, console, shell, ledger });
    violations += report.violationCount;
    console.result(
      { pipeline: pipeline.name, ok: report.violationCount === 0, ...report },
      reportText(pipeline.name, report),
    );
  }
  return violations === 0 ? ExitCode.ok : ExitCode.failedCheck;
}

interface Verifying {
  readonly flags: VerifyFlags;
  readonly config: FlatlineConfig;
  readonly console: Console;
  readonly shell: Shell;
  readonly ledger: readonly LedgerLine[] | undefined;
}

/** A transaction that its timeout has not ended, hangs; the coordinator looks every ten seconds. */
const COORDINATOR_LOOKS_EVERY_MS: DurationMs = 10_000;

async function verify(pipeline: PipelineConfig, using: Verifying): Promise<VerificationReport> {
  const { flags, config, console, shell, ledger } = using;
  const { clock } = shell;
  const { stateDir, application } = config;
  const progress = new ProgressDisplay(console, clock);
  try {
    return await verifyPipeline({
      kafka: kafkaOf(config, clock),
      pipeline,
      registry: registryOf(config, clock),
      ledger,
      reach: flags.reach,
      complete: flags.complete,
      localStores: flags.stateDir === undefined ? undefined : { stateDir, application },
      transactionMs: config.kafka.transactionTimeoutMs + COORDINATOR_LOOKS_EVERY_MS,
      onProgress: (done, total) => {
        progress.update({ doing: `verifying ${pipeline.name}`, unit: 'input record', done, total });
      },
    });
  } finally {
    progress.end();
  }
}

function pipelinesOf({ pipelines }: FlatlineConfig, name: string | undefined): readonly PipelineConfig[] {
  const found = pipelines.filter((pipeline) => name === undefined || pipeline.name === name);
  if (found.length > 0) return found;
  const names = pipelines.map((pipeline) => pipeline.name).join(', ');
  throw usageFailure(`--pipeline ${name ?? ''}: the configuration has ${names}`);
}

function reachOf(
  text: string,
  former: Partial<Record<ReachCounter, number>> = {},
): Partial<Record<ReachCounter, number>> {
  const [name = '', least = ''] = text.split('=');
  const counter = REACH_COUNTERS.find((each) => each === name);
  if (counter === undefined || !/^\d{1,9}$/.test(least))
    throw new InvalidArgumentError(
      `It must be counter=number, for example claims=3; counters: ${REACH_COUNTERS.join(', ')}.`,
    );
  return { ...former, [counter]: Number(least) };
}
