/** One thing that is wrong (I4): where, what was found, what is allowed. */
export interface Finding {
  /** Path of the setting, as `pipelines[0].timeoutMs`, or the environment variable. */
  readonly setting: string;
  /** The value as found, cut to a length for a line; secrets are never values here, only references to them. */
  readonly value: string | undefined;
  /** What is allowed, and where it helps, what to do. */
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

/** A value for a message. */
export function shownValue(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}
