import type { Command } from 'commander';
import { addKeyAct } from './acts.ts';
import type { CommandContext } from './context.ts';
import { addEntryCommands } from './entries.ts';

export function addLeaseCommands(leases: Command, context: CommandContext): void {
  addEntryCommands(leases, 'lease', context);
  addKeyAct(leases, 'lease', 'release', context);
}
