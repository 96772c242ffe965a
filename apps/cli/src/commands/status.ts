import type { Command } from 'commander';
import { ExitCode } from '../exit-code.ts';
import type { CommandContext } from './context.ts';
import { configOption, httpPortOption, jsonOption, urlOption } from './flags.ts';
import type { StatusFlags } from './status-action.ts';

export function addStatusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description(
      `show how a running processor is; exit code ${ExitCode.failedCheck} while it is not ready, ${ExitCode.unreachable} if none answers`,
    )
    .addOption(urlOption())
    .addOption(httpPortOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', STATUS_HELP)
    .action(
      context.action<StatusFlags>(async (flags, console) =>
        (await import('./status-action.ts')).runStatus(flags, console, context.shell),
      ),
    );
}

const STATUS_HELP = `
Examples:
  $ flatline status
  $ flatline status --url http://10.0.0.7:7070 --json
`;
