import { Fatal } from '@flatline/base';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessPlan } from './supervisor-plan.ts';

const linesShownMax = 12;

/** What to tell of a process that ended instead of getting ready: how, its last lines, and a remedy where one is known. */
export function startFailure(
  processes: readonly ProcessPlan[],
  exit: { readonly name: string; readonly how: string } | undefined,
): Fatal {
  if (exit === undefined)
    return new Fatal('the supervisor of the broker ended before the broker was ready: is memory short?');
  const plan = processes.find(({ name }) => name === exit.name) ?? processes[0];
  const lines = plan === undefined ? [] : [...lastLines(join(plan.folder, 'broker.log')), ...lastLines(plan.console)];
  const remedy = remedyFor(lines);
  return new Fatal(
    [`${exit.name} did not start: ${exit.how}${remedy === undefined ? '' : `; ${remedy}`}`, ...lines].join('\n'),
  );
}

/** What to do about what a broker's last lines say; undefined if they are not known. */
export function remedyFor(lines: readonly string[]): string | undefined {
  const text = lines.join('\n');
  const bind = /failed to bind to \S*?:(\d+)/.exec(text);
  if (bind !== null) return `port ${bind[1] ?? ''} is in use: stop what listens there or choose another port`;
  if (text.includes('Address already in use') || /Port \d+ seems to be in use/.test(text))
    return 'a port is in use: stop what listens there or choose another port';
  if (text.includes('No space left on device'))
    return 'the disk is full: free some space or choose another data directory';
  if (text.includes('Failed to acquire lock on file'))
    return 'another broker uses this data directory: stop it or choose another data directory';
  if (text.includes('Could not reserve enough space') || text.includes('insufficient memory'))
    return 'memory is short: end other programs';
  return undefined;
}

/** Whether another process took the port between choosing and using it. */
export function portClash(error: unknown): boolean {
  return error instanceof Fatal && error.message.includes('is in use: stop what listens there');
}

function lastLines(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-linesShownMax);
}
