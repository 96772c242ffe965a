// The least configuration, and what is said of changes to it.
import { KIND_NAMES } from '@flatline/base';
import { ConfigurationError, type Environment, resolveConfiguration } from './index.ts';

export const FOLDER = '/nowhere';

/** The kinds as messages have them. */
export const NAMED: readonly string[] = KIND_NAMES.map((kind) => `"${kind}"`);
export const THERE_ARE = `there are ${NAMED.slice(0, -1).join(', ')} and ${NAMED.at(-1)!}`;

export const visits = {
  name: 'visits',
  kind: 'session',
  timeoutMs: 1_800_000,
  input: { topic: 'visit-events' },
  output: { topic: 'visits' },
};
/** As a kind without a timeout has it. */
export const untimed = Object.fromEntries(Object.entries(visits).filter(([name]) => name !== 'timeoutMs'));
export const minimal = { application: 'shop', brokers: ['127.0.0.1:9092'], pipelines: [visits] };

export const resolve = (
  config: unknown,
  environment: Environment = {},
  now?: number,
): ReturnType<typeof resolveConfiguration> =>
  resolveConfiguration(config, { source: 'flatline.config.json', folder: FOLDER, environment, now });

/** `setting: problem` of everything that is wrong. */
export function problems(config: unknown, environment: Environment = {}, now?: number): string[] {
  try {
    resolve(config, environment, now);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.findings.map(({ setting, value, problem }) => `${setting} [${value ?? ''}] ${problem}`);
  }
}
