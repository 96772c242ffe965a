import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext } from './context.ts';
import type { EnableFlags, ListFlags, ReplayFlags, ShowFlags } from './deliveries-actions.ts';
import { brokersOption, configOption, integerFrom, jsonOption, LISTED_MAX, sinceOption } from './flags.ts';

const RATE_MAX = 10_000;

export function addDeliveriesCommand(program: Command, context: CommandContext): void {
  const deliveries = program
    .command('deliveries')
    .description('show what waits for webhooks and what was given up, and have it tried again');
  const actions = () => import('./deliveries-actions.ts');
  common(deliveries.command('list').description('show deliveries that wait, and those that were given up'))
    .option('--endpoint <name>', 'only those to this endpoint')
    .option('--from <time>', 'only those due, or given up, from then on', instant)
    .option('--to <time>', 'only those due, or given up, up to then', instant)
    .option('--limit <n>', 'how many to list; all are counted', integerFrom(0, LISTED_MAX), 100)
    .addHelpText('after', LIST_HELP)
    .action(
      context.action<ListFlags>(async (flags, console) => (await actions()).runList(flags, console, context.shell)),
    );
  common(deliveries.command('show').argument('<id>', 'as listed; the webhook-id of its requests'))
    .description('show one delivery: its attempts, its body, and the curl that repeats it')
    .option('--endpoint <name>', 'only that to this endpoint')
    .addHelpText('after', SHOW_HELP)
    .action(async (id: string, flags: Omit<ShowFlags, 'id'>) => {
      await context.action<ShowFlags>(async (all, console) => (await actions()).runShow(all, console, context.shell))({
        ...flags,
        id,
      });
    });
  common(deliveries.command('replay').description('have deliveries that were given up tried again, under the same ids'))
    .requiredOption('--endpoint <name>', 'those to this endpoint')
    .option('--from <time>', 'only those given up from then on', instant)
    .option('--to <time>', 'only those given up up to then', instant)
    .option('--rate <n>', 'so many a second', integerFrom(1, RATE_MAX), 100)
    .option('--again', 'also those that were replayed before')
    .addHelpText('after', REPLAY_HELP)
    .action(
      context.action<ReplayFlags>(async (flags, console) => (await actions()).runReplay(flags, console, context.shell)),
    );
  common(deliveries.command('enable').description('have an endpoint that is disabled tried again'))
    .requiredOption('--endpoint <name>', 'which endpoint')
    .action(
      context.action<EnableFlags>(async (flags, console) => (await actions()).runEnable(flags, console, context.shell)),
    );
}

function common(command: Command): Command {
  return command
    .option('--pipeline <name>', 'only of this pipeline of the configuration (default: all with endpoints)')
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption());
}

function instant(text: string): number {
  const since = sinceOption(text);
  if ('timestamp' in since) return since.timestamp;
  throw new InvalidArgumentError('It must be a time with its zone, for example 2026-11-02T08:00:00Z.');
}

const LIST_HELP = `
States: held (attempted now or next), waiting (for its next attempt, or for room), behind (another of its key), undeliverable.

Examples:
  $ flatline deliveries list
  $ flatline deliveries list --endpoint crm --from 2026-11-02T08:00:00Z --json
`;

const SHOW_HELP = `
Secrets are in nothing that is printed: the request is signed with a variable of your shell.

Example:
  $ flatline deliveries show visits:3-1207:0
`;

const REPLAY_HELP = `
The same ids: a receiver that remembers them takes none twice. That it was replayed is noted beside what was given up, by the
same transaction: it is listed no more, and left out by the next replay; what fails again is given up and listed once more. An
endpoint that is disabled is refused: enable it first.

Example:
  $ flatline deliveries replay --endpoint crm --from 2026-11-02T08:00:00Z --rate 20
`;
