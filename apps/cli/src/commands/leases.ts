import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { addEntryCommands } from './entries.ts';

export function addLeasesCommand(program: Command, context: CommandContext): void {
  addEntryCommands(program.command('leases').description('list who holds what, until when'), 'lease', context);
}
