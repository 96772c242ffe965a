import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from './context.ts';
import { clusterOption, configOption, jsonOption, topicName } from './flags.ts';
import type { AlterFlags } from './topics-alter-action.ts';

export function addAlterCommand(topics: Command, context: CommandContext): void {
  topics
    .command('alter')
    .description('show what would mend the topics of a configuration, or one topic; with --apply, do it')
    .option('--apply', 'make the changes that are shown')
    .option('--topic <topic>', 'this topic instead of those of the configuration; with --set', topicName)
    .option(
      '--set <name=value>',
      'retention.ms, retention.bytes, max.message.bytes or message.timestamp.{before,after}.max.ms; again for another',
      assignments,
    )
    .addOption(configOption())
    .addOption(clusterOption())
    .addOption(jsonOption())
    .addHelpText('after', ALTER_HELP)
    .action(
      context.action<AlterFlags>(async (flags, console) =>
        (await import('./topics-alter-action.ts')).runAlter(flags, console, context.shell),
      ),
    );
}

const ALTER_HELP = `
It raises limits, sets what a processor needs, and adds partitions where none of them holds a state. What could take
records away it refuses; what it cannot mend is listed by flatline topics check.

Examples:
  $ flatline topics alter --config shop.config.json
  $ flatline topics alter --config shop.config.json --apply
  $ flatline topics alter --topic visit-events --set retention.ms=-1 --apply
`;

function assignments(text: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [, name, value] = /^([\w.]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be name=value, for example retention.ms=-1.');
  return new Map([...before, [name, value]]);
}
