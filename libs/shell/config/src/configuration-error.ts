import { withoutCredentials } from '@flatline/system';

/** One thing that is wrong (I4): where, what was found, what is allowed. */
export interface Finding {
  /** Path of the setting, as `pipelines[0].timeoutMs`, or the environment variable. */
  readonly setting: string;
  /** The value as found, cut to a length for a line; secrets are never values here, only references to them. */
  readonly value: string | undefined;
  /** Allowed values, and where it helps, what to do. */
  readonly problem: string;
}

/** All that is wrong with a configuration, at once (I4). */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly findings: readonly Finding[];

  constructor(source: string, findings: readonly Finding[]) {
    const lines = findings.map(({ setting, value, problem }) =>
      value === undefined ? `  ${setting}: ${problem}` : `  ${setting} is ${value}: ${problem}`,
    );
    super(`${source}\n${lines.join('\n')}`);
    this.findings = findings;
  }
}

const VALUE_LENGTH_MAX = 80;

/**
 * A value for a message. Objects are not spelt out, but for references to secrets: a secret in the wrong place would be
 * among what they hold. Neither are the credentials of a URL.
 */
export function shownValue(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const bare = isShownWhole(value) ? JSON.stringify(value, withoutPassword) : `(${kindOf(value)})`;
  return bare.length > VALUE_LENGTH_MAX ? `${bare.slice(0, VALUE_LENGTH_MAX)}…` : bare;
}

/** For `JSON.stringify`. */
function withoutPassword(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? withoutCredentials(value) : value;
}

function isShownWhole(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function' && typeof value !== 'symbol';
  if (Array.isArray(value)) return value.every((each) => typeof each !== 'object' || each === null);
  const keys = Object.keys(value);
  return keys.length === 1 && (keys[0] === 'file' || keys[0] === 'env' || keys[0] === 'timestamp');
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
