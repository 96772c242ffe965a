// A group of commands for each kind: what lives can be listed and looked at in each; some have more.
import { KIND_NAMES, type KindName } from '@flatline/base';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { addEntryCommands } from './entries.ts';
import { addLeaseCommands } from './leases.ts';
import { addScheduleCommands } from './schedules.ts';
import { addSessionCommands } from './sessions.ts';
import { addWindowCommands } from './windows.ts';

/** All commands of kinds that have some of their own, in the order of the help. */
const OF_KIND: Partial<Readonly<Record<KindName, (group: Command, context: CommandContext) => void>>> = {
  session: addSessionCommands,
  lease: addLeaseCommands,
  debounce: addWindowCommands,
  schedule: addScheduleCommands,
};

export function addKindGroups(program: Command, context: CommandContext): void {
  for (const kind of KIND_NAMES) {
    const { group: name, groupHelp } = KIND_WORDS[kind];
    const group = program.command(name).description(groupHelp);
    const add = OF_KIND[kind];
    if (add === undefined) addEntryCommands(group, kind, context);
    else add(group, context);
  }
}
