// Where the settings of a run come from, for its first log line: who starts the wrong one should see it there.
import { configFileOf, ConfigurationError, type FlatlineConfig, loadConfiguration } from '@flatline/config';
import { type ConfigurationFlags } from './configuration.ts';
import type { Shell } from './shell.ts';

export interface RunOrigins {
  /** Facts of the line, in its order. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Something else than the file's brokers is used, and the file has some. */
  readonly warning: string | undefined;
}

export async function originsOf(
  config: FlatlineConfig,
  { shell, flags }: { readonly shell: Shell; readonly flags: ConfigurationFlags },
): Promise<RunOrigins> {
  const file = configFileOf(flags.config, shell.folder);
  const from = (flag: unknown, flagName: string, variable: string): string =>
    flag !== undefined ? flagName : isSet(shell.env[variable]) ? variable : file;
  const brokersFrom = from(flags.brokers, '--brokers', 'KAFKA_BROKERS');
  const facts = {
    configFile: file,
    application: config.application,
    brokers: config.brokers,
    brokersFrom,
    stateDir: config.stateDir,
    stateDirFrom: from(flags.stateDir, '--state-dir', 'FLATLINE_STATE_DIR'),
    instance: config.instance,
    pid: process.pid,
  };
  const inFile = brokersFrom === file ? undefined : await brokersIn(file, shell);
  const isOther = inFile !== undefined && inFile.join() !== config.brokers.join();
  const warning = isOther
    ? `${brokersFrom} stands over brokers of ${file}: ${config.brokers.join(', ')} instead of ${inFile.join(', ')}`
    : undefined;
  return { facts, warning };
}

/** undefined where the file has none. */
async function brokersIn(file: string, { folder, env, clock }: Shell): Promise<readonly string[] | undefined> {
  try {
    const environment = { ...env, KAFKA_BROKERS: undefined };
    return (await loadConfiguration({ file, folder, environment, now: clock.wallMs() })).brokers;
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/** A variable that is set to nothing is not set. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
