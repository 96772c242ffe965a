import type { Command } from 'commander';
import { ExitCode } from '../exit-code.ts';
import type { CommandContext } from './context.ts';
import { caOption, configOption, httpPortOption, jsonOption, tokenFileOption, urlsOption } from './flags.ts';
import type { ApplicationFlags } from './status-action.ts';

export function addStatusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description(
      `show how the instances of an application are; exit code ${ExitCode.failedCheck} while one is not ready, ${ExitCode.unreachable} if none answers`,
    )
    .addOption(urlsOption())
    .addOption(httpPortOption())
    .addOption(tokenFileOption())
    .addOption(caOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', STATUS_HELP)
    .action(
      context.action<ApplicationFlags>(async (flags, console) =>
        (await import('./status-action.ts')).runStatus(flags, console, context.shell),
      ),
    );
}

const STATUS_HELP = `
Instances of the same groups are found by the one that is asked; one that cannot be reached from here is named.
Examples:
  $ flatline status
  $ flatline status --url http://10.0.0.7:7070 --json
  $ flatline status --url http://10.0.0.7:7070 --url http://10.0.0.8:7070
`;
