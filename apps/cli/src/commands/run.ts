import { type Command, InvalidArgumentError, Option } from 'commander';
import { WORKERS_MAX } from '../workers/worker-limits.ts';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, integerFrom, jsonOption } from './flags.ts';
import type { RunFlags } from './run-start.ts';

export function addRunCommand(program: Command, context: CommandContext): void {
  program
    .command('run')
    .description('run the processor of a configuration until it is stopped')
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .option(
      '--instance <id>',
      'name of this process, and its id in the group (default: from the configuration, then host and process)',
    )
    .option('--state-dir <dir>', 'state directory, one per process (default: from the configuration)')
    .option(
      '--http-port <port>',
      'HTTP port, 0 for any free one (default: from the configuration)',
      integerFrom(0, 65_535),
    )
    .option(
      '--workers <count>',
      'number of processes that share the state directory and port; auto: one per core',
      workers,
    )
    .addOption(new Option('--worker <number>').argParser(integerFrom(1, WORKERS_MAX)).hideHelp())
    .addOption(jsonOption())
    .addHelpText('after', RUN_HELP)
    .action(
      context.action<RunFlags>(async (flags, console) => {
        if (flags.workers === undefined || flags.worker !== undefined)
          return (await import('./run-action.ts')).run(flags, console, context);
        return (await import('./run-workers-action.ts')).runWorkers(flags, console, context);
      }),
    );
}

function workers(text: string): number | 'auto' {
  if (text === 'auto') return text;
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= WORKERS_MAX) return count;
  throw new InvalidArgumentError(`It must be auto, or a whole number from 1 to ${WORKERS_MAX}.`);
}

const RUN_HELP = `
SIGTERM and Ctrl-C drain: what is read is committed, and the group is left, so that others take over at once. A second
signal exits immediately; the next start restores.

With --workers, processes that end are started again (not after exit codes 2 and 4), and partitions are spread over them.

Examples:
  $ flatline run
  $ flatline run --workers auto
  $ flatline run --config shop.config.json --instance a --state-dir /var/lib/flatline/a
`;
