// Prepares `run` before anything is started: reads its configuration, opens its log, checks the topics.
import { type FlatlineConfig, SECRET_SECTIONS } from '@flatline/config';
import { VERSION } from '@flatline/processor';
import type { RuntimeLog } from '@flatline/runtime';
import { connect, kafkaOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf, typedFlags } from '../configuration.ts';
import { consoleLog } from '../run-log.ts';
import { originsOf } from '../run-origins.ts';
import type { Stop } from '../stop.ts';
import type { Console } from '../terminal/console.ts';
import { pipelineTopicsOf } from '@flatline/processor';
import { assertUsable } from '../topics/provision.ts';
import { deviationText } from '../topics/topic-plan.ts';
import type { CommandContext } from './context.ts';

export interface RunFlags extends ConfigurationFlags {
  readonly json?: boolean;
  readonly workers?: number | 'auto';
  /** Number of this process among its supervisor's workers. */
  readonly worker?: number;
}

export interface RunStart {
  readonly config: FlatlineConfig;
  readonly log: RuntimeLog;
}

export interface StartOptions {
  readonly console: Console;
  readonly stop: Stop;
  /** Facts of each line of the log, and of its first. */
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly firstFacts?: Readonly<Record<string, unknown>>;
}

/** @throws what `failureOf` understands, where the configuration or the topics are wrong. */
export async function startOf(
  flags: RunFlags,
  { shell, diagnosis }: CommandContext,
  { console, stop, facts, firstFacts }: StartOptions,
): Promise<RunStart> {
  const { clock } = shell;
  const config = await configurationOf(shell, flags, SECRET_SECTIONS);
  diagnosis.configured(config);
  const log = diagnosis.watch(consoleLog(console, clock, facts === undefined ? {} : { facts }));
  const origins = await originsOf(config, { shell, flags });
  log.info('flatline starts', { version: VERSION, ...origins.facts, ...firstFacts });
  if (origins.warning !== undefined) log.warn(origins.warning);
  const connection = await connect(kafkaOf(config, clock), stop);
  try {
    const asked = { partitions: undefined, replication: undefined, flags: typedFlags(flags) };
    const risks = await assertUsable(pipelineTopicsOf(config), { clock, connection, ...asked });
    for (const risk of risks) console.note(`warning: ${deviationText(risk)}`);
  } finally {
    connection.close();
  }
  return { config, log };
}
