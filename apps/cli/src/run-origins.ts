// Where the settings of a run come from, for its first log line: who starts the wrong one should see it there.
import { configFileOf, type FlatlineConfig, writtenSettings } from '@flatline/config';
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
  const written = await writtenSettings(file);
  const from = (flag: unknown, flagName: string, variable: string): string | undefined =>
    flag !== undefined ? flagName : isSet(shell.env[variable]) ? variable : undefined;
  const over = from(flags.brokers, '--brokers', 'KAFKA_BROKERS');
  const facts = {
    configFile: file,
    application: config.application,
    brokers: config.brokers,
    brokersFrom: over ?? file,
    stateDir: config.stateDir,
    stateDirFrom:
      from(flags.stateDir, '--state-dir', 'FLATLINE_STATE_DIR') ??
      (written['stateDir'] === undefined ? 'default' : file),
    instance: config.instance,
    pid: process.pid,
  };
  const inFile = over === undefined ? [] : listed(written['brokers']);
  const isOther = inFile.length > 0 && inFile.join() !== config.brokers.join();
  const warning = isOther
    ? `${over!} stands over brokers of ${file}: ${config.brokers.join(', ')} instead of ${inFile.join(', ')}`
    : undefined;
  return { facts, warning };
}

/** Tolerates any value: a setting of the file is not validated where another source overrides it. */
function listed(brokers: unknown): readonly string[] {
  return Array.isArray(brokers) ? brokers.map(String) : [];
}

/** A variable that is set to nothing is not set. */
function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
