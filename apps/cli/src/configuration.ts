import {
  CONFIG_FILES,
  type Environment,
  type FlatlineConfig,
  loadConfiguration,
  type SecretSection,
} from '@flatline/config';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Shell } from './shell.ts';

/** Flags that say which configuration, and what stands over it: flag over environment over file. */
export interface ConfigurationFlags {
  readonly config?: string;
  readonly brokers?: readonly string[];
  readonly instance?: string;
  readonly stateDir?: string;
  readonly httpPort?: number;
}

/**
 * `uses`: whose secrets the command needs, so that none is locked by those of others.
 * @throws ConfigurationError with everything that is wrong (I4), also where there is no file.
 */
export function configurationOf(
  shell: Shell,
  flags: ConfigurationFlags,
  uses: readonly SecretSection[],
): Promise<FlatlineConfig> {
  const { folder, clock } = shell;
  const given = givenBy(flags, folder);
  return loadConfiguration({
    file: flags.config,
    folder,
    environment: { ...shell.env, ...given },
    flags: Object.fromEntries(Object.keys(given).map((name) => [name, FLAGS[name as keyof typeof FLAGS]])),
    uses,
    now: clock.wallMs(),
  });
}

/** The same for commands that can do without: undefined where no file is named and none is here. */
export async function foundConfigurationOf(
  shell: Shell,
  flags: ConfigurationFlags,
  uses: readonly SecretSection[],
): Promise<FlatlineConfig | undefined> {
  const here = CONFIG_FILES.some((name) => existsSync(resolve(shell.folder, name)));
  return flags.config === undefined && !here ? undefined : configurationOf(shell, flags, uses);
}

/** The flags that lead another command to the same configuration and cluster, as they are typed; none: nothing. */
export function typedFlags({ config, brokers }: ConfigurationFlags): string {
  const typed = [...(config === undefined ? [] : ['--config', quoted(config)])];
  if (brokers !== undefined) typed.push('--brokers', quoted(brokers.join(',')));
  return typed.map((each) => ` ${each}`).join('');
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Variables that a flag stands over. */
const FLAGS = {
  KAFKA_BROKERS: '--brokers',
  FLATLINE_INSTANCE: '--instance',
  FLATLINE_STATE_DIR: '--state-dir',
  FLATLINE_HTTP_PORT: '--http-port',
} as const;

function givenBy({ brokers, instance, stateDir, httpPort }: ConfigurationFlags, folder: string): Environment {
  const given: Readonly<Record<keyof typeof FLAGS, string | undefined>> = {
    KAFKA_BROKERS: brokers?.join(','),
    FLATLINE_INSTANCE: instance,
    // A flag is relative to where it is typed, a setting to its file.
    FLATLINE_STATE_DIR: stateDir === undefined ? undefined : resolve(folder, stateDir),
    FLATLINE_HTTP_PORT: httpPort?.toString(),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
