import type { Clock } from '@flatline/base';
import type { RuntimeLog } from '@flatline/runtime';
import type { Console } from './terminal/console.ts';

type Facts = Readonly<Record<string, unknown>>;
export type LogLevel = 'info' | 'warn' | 'error';

const levels: readonly LogLevel[] = ['info', 'warn', 'error'];

export interface LogLimits {
  /** Default: info. */
  readonly least?: LogLevel;
  /** Nothing is written once it is aborted. */
  readonly until?: AbortSignal;
  /** Facts of every line as JSON; for a person the stream says them. */
  readonly facts?: Facts;
}

/** The processor's log: lines for a person on standard error, or JSON lines on standard output. */
export function consoleLog(
  console: Console,
  clock: Clock,
  { least = 'info', until, facts: common }: LogLimits = {},
): RuntimeLog {
  const write = (level: LogLevel, message: string, facts: Facts = {}): void => {
    if (levels.indexOf(level) < levels.indexOf(least) || until?.aborted === true) return;
    const time = new Date(clock.wallMs()).toISOString();
    if (console.json) console.result({ time, level, ...common, message, ...plainFacts(facts) }, '');
    else console.note(`${time.slice(11, 19)} ${level.padEnd(5)} ${message}${factsText(facts)}`);
  };
  return {
    info: (message, facts) => {
      write('info', message, facts);
    },
    warn: (message, facts) => {
      write('warn', message, facts);
    },
    error: (message, facts) => {
      write('error', message, facts);
    },
  };
}

function factsText(facts: Facts): string {
  return Object.entries(plainFacts(facts))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('');
}

function plainFacts(facts: Facts): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, plainFact(value)]));
}

/** JSON has no form for errors; a log has no use for fractions of a millisecond. */
function plainFact(value: unknown): unknown {
  if (value instanceof Error) return value.message;
  return typeof value === 'number' ? Math.round(value) : value;
}
