import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from './context.ts';
import { caOption, configOption, httpPortOption, jsonOption, tokenFileOption, urlOption } from './flags.ts';
import type { PartitionName, RestartFlags } from './partitions-action.ts';
import type { StatusFlags } from './status-action.ts';

export function addPartitionsCommand(program: Command, context: CommandContext): void {
  const partitions = program
    .command('partitions')
    .description('list the partitions of a running processor, restart stopped ones');
  partitions
    .command('list')
    .description('show state, live entries, lag, clock and what is wrong, by partition')
    .addOption(urlOption())
    .addOption(httpPortOption())
    .addOption(tokenFileOption())
    .addOption(caOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', LIST_HELP)
    .action(
      context.action<StatusFlags>(async (flags, console) =>
        (await import('./status-action.ts')).listPartitions(flags, console, context.shell),
      ),
    );
  partitions
    .command('restart')
    .argument('[partitions...]', 'PIPELINE/PARTITION, as listed', partitionNames)
    .description('have stopped partitions try again, once what stopped them is mended')
    .option('--all', 'all stopped partitions')
    .addOption(urlOption())
    .addOption(httpPortOption())
    .addOption(tokenFileOption())
    .addOption(caOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', RESTART_HELP)
    .action(async (names: readonly PartitionName[] | undefined, flags: Omit<RestartFlags, 'names'>) => {
      await context.action<RestartFlags>(async (given, console) =>
        (await import('./partitions-action.ts')).runRestart(given, console, context.shell),
      )({ ...flags, names: names ?? [] });
    });
}

function partitionNames(text: string, before: readonly PartitionName[] = []): readonly PartitionName[] {
  const [, pipeline, partition] = /^([A-Za-z0-9_-]+)\/(\d{1,9})$/.exec(text) ?? [];
  if (pipeline === undefined) throw new InvalidArgumentError('It must be PIPELINE/PARTITION, for example visits/3.');
  return [...before, { pipeline, partition: Number(partition) }];
}

const LIST_HELP = `
Examples:
  $ flatline partitions list
  $ flatline partitions list --url http://10.0.0.7:7070 --json
`;

const RESTART_HELP = `
A partition goes on from its last commit, with all checks: one whose cause is not mended stops again and says why. Nothing is
skipped. Those that wait for a topic or a setting of the brokers try again by themselves (stoppedRetryMs).

Examples:
  $ flatline partitions restart visits/3
  $ flatline partitions restart --all
`;
