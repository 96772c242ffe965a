import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, integerFrom, jsonOption } from './flags.ts';
import type { StatsFlags } from './stats-action.ts';

/** More windows than a screen is wide. */
const WINDOWS_SHOWN_MAX = 1_440;

export function addStatsCommand(program: Command, context: CommandContext): void {
  program
    .command('stats')
    .description('show statistics of sessions, of all partitions together: windows that are over')
    .option('--pipeline <name>', 'which pipeline of the configuration (default: its only one of kind session)')
    .option(
      '--window <length>',
      "length of the windows, as the configuration's stats.windows has it (default: the shortest)",
    )
    .option('--last <n>', 'so many windows', integerFrom(1, WINDOWS_SHOWN_MAX), 30)
    .option('--where <dimension=value...>', 'only sessions with this value of a dimension', whereOf)
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', STATS_HELP)
    .action(
      context.action<StatsFlags>(async (flags, console) =>
        (await import('./stats-action.ts')).runStats(flags, console, context.shell),
      ),
    );
}

const STATS_HELP = `
Reads the topic <output>.stats, which a pipeline has with "stats", and changes nothing.

Examples:
  $ flatline stats
  $ flatline stats --window 1h --last 48
  $ flatline stats --where plan=pro --json
`;

function whereOf(text: string, former: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('It must be dimension=value, for example plan=pro.');
  return new Map([...former, [name, value]]);
}
