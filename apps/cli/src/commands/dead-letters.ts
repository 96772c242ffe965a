import { type Command } from 'commander';
import type { CommandContext } from './context.ts';
import { addReplayCommand } from './dead-letters-replay.ts';
import {
  brokersOption,
  configOption,
  integerFrom,
  jsonOption,
  letterPlace,
  type LetterPlace,
  LISTED_MAX,
} from './flags.ts';
import type { ListFlags, ShowFlags } from './dead-letters-actions.ts';

export function addDeadLettersCommand(program: Command, context: CommandContext): void {
  const letters = program
    .command('dead-letters')
    .description('show input records that could not be applied, and send them back');
  letters
    .command('list')
    .description('show the newest dead letters, and count all by reason')
    .option('--reason <code>', 'only these, for example invalid-json')
    .option('--partition <n>', 'only those of this partition; of several pipelines name one', integerFrom(0))
    .option('--from <offset>', 'not the newest but the first from this offset on; needs --partition', integerFrom(0))
    .option('--limit <n>', 'how many to list of each pipeline; all are counted', integerFrom(0, LISTED_MAX), 20)
    .option('--pipeline <name>', 'only those of this pipeline of the configuration (default: all)')
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', LIST_HELP)
    .action(
      context.action<ListFlags>(async (flags, console) =>
        (await import('./dead-letters-actions.ts')).runList(flags, console, context.shell),
      ),
    );
  letters
    .command('show')
    .argument('<place>', 'PARTITION/OFFSET in the dead-letter topic, as listed', letterPlace)
    .description('show one dead letter: why, where it came from, its headers, key and value')
    .option('--bytes <n>', 'of key and value print at most so many (--json: all)', integerFrom(1), 4_096)
    .option('--pipeline <name>', 'which pipeline of the configuration (default: its only one)')
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', SHOW_HELP)
    .action(async (place: LetterPlace, flags: Omit<ShowFlags, 'place'>) => {
      await context.action<ShowFlags>(async (all, console) =>
        (await import('./dead-letters-actions.ts')).runShow(all, console, context.shell),
      )({ ...flags, place });
    });
  addReplayCommand(letters, context);
}

const LIST_HELP = `
Examples:
  $ flatline dead-letters list
  $ flatline dead-letters list --reason invalid-json --limit 100 --json
  $ flatline dead-letters list --partition 3 --from 1200
`;

const SHOW_HELP = `
Examples:
  $ flatline dead-letters show 3/1207
  $ flatline dead-letters show 3/1207 --json | jq -r .value.text

With --json key, value and headers are text where they are UTF-8, else base64.
`;
