// Environment over file (docs/CONFIGURATION.md). What a variable says replaces what the file says, before anything is validated.
import type { Finding } from './configuration-error.ts';
import { plainCopy } from './plain-copy.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

interface Variable {
  readonly name: string;
  /** Path of the setting it replaces. */
  readonly path: readonly string[];
  readonly read: (text: string) => unknown;
}

const asText = (text: string): string => text;
const asNumber = (text: string): unknown => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
const asList = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** All there are; docs/CONFIGURATION.md lists them. */
export const VARIABLES: readonly Variable[] = [
  { name: 'KAFKA_BROKERS', path: ['brokers'], read: asList },
  { name: 'SCHEMA_REGISTRY_URL', path: ['schemaRegistryUrl'], read: asText },
  { name: 'FLATLINE_APPLICATION', path: ['application'], read: asText },
  { name: 'FLATLINE_STATE_DIR', path: ['stateDir'], read: asText },
  { name: 'FLATLINE_INSTANCE', path: ['instance'], read: asText },
  { name: 'FLATLINE_RACK', path: ['rack'], read: asText },
  { name: 'FLATLINE_COMMIT_INTERVAL_MS', path: ['commitIntervalMs'], read: asNumber },
  { name: 'FLATLINE_HTTP_HOST', path: ['http', 'host'], read: asText },
  { name: 'FLATLINE_HTTP_PORT', path: ['http', 'port'], read: asNumber },
  { name: 'FLATLINE_HTTP_ADVERTISED', path: ['http', 'advertised'], read: asText },
];

/** `file` with what the environment says put over it; `file` itself is left as it is. */
export function withEnvironment(file: unknown, environment: Environment): unknown {
  if (typeof file !== 'object' || file === null || Array.isArray(file)) return file;
  const merged = plainCopy(file) as Record<string, unknown>;
  for (const { name, path, read } of VARIABLES) {
    const text = environment[name];
    if (text !== undefined && text !== '') put(merged, path, read(text));
  }
  return merged;
}

/** The variable that says what `setting` is, if one does: then it is the variable that must be corrected. */
export function variableOf(setting: string, environment: Environment): string | undefined {
  const found = VARIABLES.find(({ name, path }) => {
    const text = environment[name];
    return text !== undefined && text !== '' && isAtOrIn(setting, path.join('.'));
  });
  return found?.name;
}

/** True if `setting` is `place`, or a part of it. */
export function isAtOrIn(setting: string, place: string): boolean {
  return setting === place || setting.startsWith(`${place}.`) || setting.startsWith(`${place}[`);
}

/** A `FLATLINE_` variable that is none of ours is a typing error that would go unnoticed. */
export function unknownVariables(environment: Environment): Finding[] {
  const known = new Set(VARIABLES.map(({ name }) => name));
  return Object.keys(environment)
    .filter((name) => name.startsWith('FLATLINE_') && !known.has(name))
    .map((setting) => ({
      setting,
      value: undefined,
      problem: `no such variable; there are ${[...known].filter((name) => name.startsWith('FLATLINE_')).join(', ')}`,
    }));
}

function put(target: Record<string, unknown>, [head, ...rest]: readonly string[], value: unknown): void {
  if (head === undefined) return;
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = target[head];
  const section = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {};
  target[head] = section;
  put(section, rest, value);
}
