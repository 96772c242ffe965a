import type { Command } from 'commander';
import { ExitCode } from '../exit-code.ts';
import type { CommandContext } from './context.ts';
import {
  caOption,
  configOption,
  httpPortOption,
  integerFrom,
  jsonOption,
  lengthOption,
  tokenFileOption,
  urlsOption,
} from './flags.ts';
import type { TopFlags } from './top-action.ts';

export function addTopCommand(program: Command, context: CommandContext): void {
  program
    .command('top')
    .description(
      `watch what the instances of an application do, the busiest partitions first; exit code ${ExitCode.unreachable} if none answers`,
    )
    .option('--interval <time>', 'time between two looks (default: 2s)', lengthOption)
    .option('--count <n>', 'number of looks (default: until Ctrl-C)', integerFrom(1))
    .addOption(urlsOption())
    .addOption(httpPortOption())
    .addOption(tokenFileOption())
    .addOption(caOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', TOP_HELP)
    .action(
      context.action<TopFlags>(async (flags, console) =>
        (await import('./top-action.ts')).runTop(flags, console, context.shell),
      ),
    );
}

const TOP_HELP = `
On a terminal all of it, by keys: arrows up and down choose a partition, enter looks into it, arrows left and right choose the
order, as do b (read/s), l (lag), n (live), c (clock), t (state) and p (partition), r turns it round, q ends. Elsewhere, and with
--json, one look after the other.
Instances are found as by flatline status; those that end are waited for.

Examples:
  $ flatline top
  $ flatline top --url http://10.0.0.7:7070 --interval 500ms
  $ flatline top --json --count 10 --interval 1s
`;
