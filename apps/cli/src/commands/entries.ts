// `list` and `get` of what lives in a pipeline: the same for every kind.
import type { KindName } from '@flatline/base';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import type { GetFlags, ListFlags } from './entries-action.ts';
import { brokersOption, configOption, integerFrom, jsonOption } from './flags.ts';
import { keyAction } from './key-action.ts';

const LIST_MAX = 100_000;

export function addEntryCommands(group: Command, kind: KindName, context: CommandContext): void {
  const name = KIND_WORDS[kind].noun;
  const shared = (command: Command): Command =>
    command
      .option('--base64', 'keys are given in base64')
      .option('--pipeline <name>', `which pipeline of the configuration (default: its only one of kind ${kind})`)
      .addOption(configOption())
      .addOption(brokersOption('the configuration'))
      .addOption(jsonOption());
  shared(
    group
      .command('list')
      .description(`list live ${name}s in the order of their keys, as of the newest commit`)
      .option('--prefix <text>', 'only keys that begin with this')
      .option('--after <key>', 'only keys after this one')
      .option('--limit <n>', 'how many keys to list; all are counted', integerFrom(0, LIST_MAX), 100)
      .addHelpText('after', listHelp(group.name())),
  ).action(
    context.action<ListFlags>(async (flags, console) =>
      (await import('./entries-action.ts')).runList({ ...flags, kind }, console, context.shell),
    ),
  );
  shared(
    group
      .command('get')
      .argument('<key>', 'its key')
      .description(`show all that is known of the ${name} under a key, as of the newest commit`),
  ).action(
    keyAction<Omit<GetFlags, 'key' | 'kind'>>(context, async (flags, console) =>
      (await import('./entries-action.ts')).runGet({ ...flags, kind }, console, context.shell),
    ),
  );
}

function listHelp(group: string): string {
  return `
Reads the whole changelog, whether a processor runs or not, and takes as much memory as a task of the largest partition.

Examples:
  $ flatline ${group} list
  $ flatline ${group} list --prefix user- --limit 1000 --json
`;
}
