import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, jsonOption, letterPlaces, type LetterPlace } from './flags.ts';
import type { ReplayFlags } from './replay-action.ts';

export function addReplayCommand(letters: Command, context: CommandContext): void {
  letters
    .command('replay')
    .argument('[places...]', 'PARTITION/OFFSET in the dead-letter topic, as listed', letterPlaces)
    .description('send dead letters back to their input as they were: key, value, headers, partition')
    .option('--reason <code>', 'all with this reason')
    .option('--all', 'all of them')
    .option('--again', 'also those that were replayed before')
    .option('--dry-run', 'only say what would be sent')
    .option('--pipeline <name>', 'which pipeline of the configuration (default: its only one)')
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', REPLAY_HELP)
    .action(async (places: readonly LetterPlace[] | undefined, flags: Omit<ReplayFlags, 'places'>) => {
      const all = { ...flags, places: places ?? [] };
      await context.action<ReplayFlags>(async (given, console) =>
        (await import('./replay-action.ts')).runReplay(given, console, context.shell),
      )(all);
    });
}

const REPLAY_HELP = `
A replayed record gets two more headers, flatline-replayed-from and flatline-replay (1 the first time). That it was replayed
is noted in the dead-letter topic by the same transaction, so a replay that broke off is simply run again. What is still
bad becomes a new dead letter: where a processor runs, the command waits a few seconds for it, says what was refused again,
and exits with 1 if anything was.

Examples:
  $ flatline dead-letters replay 3/1207 0/44
  $ flatline dead-letters replay --reason key-too-long --dry-run
  $ flatline dead-letters replay --all --json
`;
