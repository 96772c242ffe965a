import type { DurationMs } from '@flatline/base';
import type { FlatlineConfig, NotifiedPipeline, PipelineConfig } from '@flatline/config';
import { type LedgerLine, type ReachCounter, type VerificationReport } from '@flatline/oracle';
import { type Since, verifyPipeline } from '@flatline/verifier';
import { connect, kafkaOf, registryOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { interruptedBefore, usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { ProgressDisplay } from '../terminal/progress-display.ts';
import { readLedger } from '../verifying/ledger-lines.ts';
import { reportText } from '../verifying/report-text.ts';

export interface VerifyFlags extends ConfigurationFlags {
  readonly pipeline?: string;
  readonly ledger?: string;
  readonly reach?: Partial<Record<ReachCounter, number>>;
  readonly complete?: boolean;
  readonly since?: Since;
  readonly json?: boolean;
}

export async function runVerify(flags: VerifyFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const config = await configurationOf(shell, flags, ['kafka', 'schemaRegistry', 'attributes']);
  const pipelines = pipelinesOf(config, flags.pipeline);
  const ledger = flags.ledger === undefined ? undefined : readLedger(shell.folder, flags.ledger);
  if (ledger !== undefined && pipelines.length > 1)
    throw usageFailure('--ledger tells of one input: say of which pipeline with --pipeline');
  const kafka = kafkaOf(config, shell.clock);
  // A person who waits hears at once that no broker answers.
  (await connect(kafka, shell.stop)).close();
  let violations = 0;
  for (const pipeline of pipelines) {
    const notified = config.notifier?.pipelines.find((each) => each.pipeline.name === pipeline.name);
    const report = await verify(pipeline, { flags, config, console, shell, ledger, notified });
    violations += report.violationCount;
    console.result(
      { pipeline: pipeline.name, ok: report.violationCount === 0, ...report },
      reportText(pipeline, report, notified !== undefined),
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
  readonly notified: NotifiedPipeline | undefined;
}

const BYTES_PER_MB = 1_000_000;

/** A transaction that its timeout has not ended, hangs; the coordinator looks every ten seconds. */
const COORDINATOR_LOOKS_EVERY_MS: DurationMs = 10_000;

async function verify(pipeline: PipelineConfig, using: Verifying): Promise<VerificationReport> {
  const { flags, config, console, shell, ledger, notified } = using;
  const { clock } = shell;
  const { stateDir, application } = config;
  const progress = new ProgressDisplay(console, clock);
  try {
    return await verifyPipeline({
      kafka: kafkaOf(config, clock),
      pipeline,
      notified,
      registry: registryOf(config, clock),
      ledger,
      reach: flags.reach,
      complete: flags.complete,
      since: flags.since,
      localStores: flags.stateDir === undefined ? undefined : { stateDir, application },
      transactionMs: config.kafka.transactionTimeoutMs + COORDINATOR_LOOKS_EVERY_MS,
      signal: shell.stop.signal,
      onCopied: (bytes) => {
        const doing = `copying the changelogs of ${pipeline.name}`;
        progress.update({ doing, unit: 'megabyte', done: Math.round(bytes / BYTES_PER_MB), total: undefined });
      },
      onProgress: (done, total) => {
        progress.update({ doing: `verifying ${pipeline.name}`, unit: 'input record', done, total });
      },
    });
  } catch (error) {
    if (shell.stop.signal.aborted) throw interruptedBefore(`${pipeline.name} was verified`);
    throw error;
  } finally {
    progress.end();
  }
}

function pipelinesOf({ pipelines }: FlatlineConfig, name: string | undefined): readonly PipelineConfig[] {
  const asked = pipelines.filter((pipeline) => name === undefined || pipeline.name === name);
  if (asked.length > 0) return asked;
  const names = pipelines.map((pipeline) => pipeline.name).join(', ');
  throw usageFailure(`--pipeline ${name ?? ''}: the configuration has ${names}`);
}
