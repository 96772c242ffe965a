import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, integerFrom, jsonOption } from './flags.ts';
import type { RunFlags } from './run-action.ts';

export function addRunCommand(program: Command, context: CommandContext): void {
  program
    .command('run')
    .description('The processor: reads the inputs of a configuration and closes their sessions, until it is stopped.')
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .option('--instance <id>', 'human-readable name of this process (default: from the configuration, then the host)')
    .option('--state-dir <dir>', 'state directory, one per process (default: from the configuration)')
    .option(
      '--http-port <port>',
      'HTTP port, 0 for any free one (default: from the configuration)',
      integerFrom(0, 65_535),
    )
    .addOption(jsonOption())
    .addHelpText('after', RUN_HELP)
    .action(
      context.action<RunFlags>(async (flags, console) =>
        (await import('./run-action.ts')).run(flags, console, context),
      ),
    );
}

const RUN_HELP = `
SIGTERM and Ctrl-C drain: what is read is committed, and the group is left, so that others take over at once. A second
signal exits immediately; the next start restores.

Examples:
  $ flatline run
  $ flatline run --config shop.config.json --instance a --state-dir /var/lib/flatline/a
`;
