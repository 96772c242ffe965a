import { Fatal } from '@flatline/base';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PortInUse } from './ports.ts';
import { type ProcessPlan } from './supervisor-plan.ts';

const LINES_SHOWN_MAX = 12;

/** Describes a process that ended instead of getting ready: how, its last lines, and the remedy if one is known. */
export function startFailure(
  processes: readonly ProcessPlan[],
  exit: { readonly name: string; readonly how: string } | undefined,
): Fatal {
  if (exit === undefined)
    return new Fatal('the supervisor of the broker ended before the broker was ready: is memory short?');
  const plan = processes.find(({ name }) => name === exit.name) ?? processes[0];
  const lines = plan === undefined ? [] : [...lastLines(join(plan.folder, 'broker.log')), ...lastLines(plan.console)];
  const text = lines.join('\n');
  const taken = portTaken(text);
  if (taken !== undefined) return new PortInUse(taken.port, `stop what listens there or choose another port\n${text}`);
  const remedy = remedies.find(([sign]) => text.includes(sign))?.[1];
  return new Fatal(`${exit.name} did not start: ${exit.how}${remedy === undefined ? '' : `; ${remedy}`}\n${text}`);
}

/** Last lines of processes, and the remedies. */
const remedies = [
  ['No space left on device', 'the disk is full: free some space or choose another data directory'],
  [
    'Failed to acquire lock on file',
    'another broker uses this data directory: stop it or choose another data directory',
  ],
  ['Could not reserve enough space', 'memory is short: end other programs'],
  ['insufficient memory', 'memory is short: end other programs'],
] as const;

/** Kafka names the port that it could not get; others only say that there was one. */
function portTaken(text: string): { readonly port: number | undefined } | undefined {
  const named = /failed to bind to \S*?:(\d+)|Port (\d+) seems to be in use/.exec(text);
  if (named !== null) return { port: Number(named[1] ?? named[2]) };
  return /address already in use/i.test(text) ? { port: undefined } : undefined;
}

function lastLines(file: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LINES_SHOWN_MAX);
}
