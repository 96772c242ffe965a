// Finds and reads a configuration file.
import { messageOf, type Millis } from '@flatline/base';
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { BrokenManifest, readConfigFile } from './config-file.ts';
import { ConfigurationError } from './configuration-error.ts';
import type { Environment } from './environment.ts';
import type { FlatlineConfig } from './flatline-config.ts';
import { resolveConfiguration, type SecretSection } from './resolve.ts';
import type { ConfigurationInput } from './schema.ts';

/** Looked for in this order where no file is named. */
export const CONFIG_FILES = ['flatline.config.ts', 'flatline.config.json', 'flatline.config.yaml'] as const;

export interface LoadOptions {
  /** The file named by the user, if any. */
  readonly file: string | undefined;
  /** Where to look, and what `file` is relative to. */
  readonly folder: string;
  readonly environment: Environment;
  /** Names of the flags that have said what variables say, by variable. */
  readonly flags?: Readonly<Record<string, string>> | undefined;
  /** Sections whose secrets are needed. Default: all. */
  readonly uses?: readonly SecretSection[] | undefined;
  /** The present. */
  readonly now: Millis;
}

/** Gives a configuration in TypeScript its types. */
export function defineConfig(config: ConfigurationInput): ConfigurationInput {
  return config;
}

/** @throws ConfigurationError */
export async function loadConfiguration({
  file,
  folder,
  environment,
  flags,
  uses,
  now,
}: LoadOptions): Promise<FlatlineConfig> {
  const path = configFileOf(file, folder);
  const content = await read(path);
  return resolveConfiguration(content, {
    source: basename(path),
    folder: dirname(path),
    environment,
    flags,
    uses,
    now,
  });
}

/** Path of the file named by the user, else of the one that is there. @throws ConfigurationError where there is none */
export function configFileOf(file: string | undefined, folder: string): string {
  if (file !== undefined) return resolve(folder, file);
  const found = CONFIG_FILES.map((name) => resolve(folder, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  const problem = `no ${CONFIG_FILES.slice(0, -1).join(', ')} or ${CONFIG_FILES.at(-1)!} here; name a file with --config`;
  throw new ConfigurationError('configuration', [{ setting: folder, value: undefined, problem }]);
}

/** Settings as the file itself has them, before environment and defaults; not validated. @throws ConfigurationError */
export async function writtenSettings(path: string): Promise<Readonly<Record<string, unknown>>> {
  const content = await read(path);
  return typeof content === 'object' && content !== null ? { ...content } : {};
}

async function read(path: string): Promise<unknown> {
  try {
    return await readConfigFile(path);
  } catch (error) {
    const finding =
      error instanceof BrokenManifest
        ? { setting: error.path, problem: error.message }
        : { setting: path, problem: `cannot be read: ${messageOf(error)}` };
    throw new ConfigurationError('configuration', [{ ...finding, value: undefined }]);
  }
}
