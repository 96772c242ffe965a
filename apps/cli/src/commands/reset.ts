import { type Command } from 'commander';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, jsonOption } from './flags.ts';
import type { ResetFlags } from './reset-action.ts';

export function addResetCommand(program: Command, context: CommandContext): void {
  program
    .command('reset')
    .description("forget an application's state; what it has written stays")
    .option('--pipeline <name>', 'only this pipeline of the configuration (default: all)')
    .option('--confirm <application>', 'do it: the name of the application, so that no other is meant')
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', RESET_HELP)
    .action(
      context.action<ResetFlags>(async (flags, console) =>
        (await import('./reset-action.ts')).runReset(flags, console, context.shell),
      ),
    );
}

const RESET_HELP = `
Without --confirm it changes nothing and says what would be forgotten: live entries, by pipeline. With it, the group is deleted
with its offsets, then the changelog is emptied. Input, output and dead letters are left as they are; local stores are dropped
at the next start. That reads the input from startFrom on, so that whatever it closes again is written to the output again:
name another output.topic if its readers must not see that.

Every processor of the application has to be stopped first.

Examples:
  $ flatline reset --config shop.config.json
  $ flatline reset --config shop.config.json --pipeline visits --confirm shop
`;
