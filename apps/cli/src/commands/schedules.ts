import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { addEntryCommands } from './entries.ts';
import { brokersOption, configOption, headerOption, integerFrom, jsonOption, lengthOption } from './flags.ts';
import type { ActFlags, AddFlags, ScheduleAct } from './schedules-action.ts';

export function addSchedulesCommand(program: Command, context: CommandContext): void {
  const schedules = program
    .command('schedules')
    .description('Schedules: what is pending, and records that add, cancel, pause, resume or trigger them.');
  addEntryCommands(schedules, 'schedule', context);
  addAddCommand(schedules, context);
  for (const act of Object.keys(ACTS) as ScheduleAct[])
    sharedOptions(schedules.command(act).argument('<key>', 'the key'))
      .description(ACTS[act])
      .option('--id <id>', 'only the schedule with this id (default: all of the key)')
      .action(async (key: string, flags: Omit<ActFlags, 'key' | 'act'>) => {
        await context.action<ActFlags>(async (all, console) =>
          (await import('./schedules-action.ts')).runAct(all, console, context.shell),
        )({ ...flags, key, act });
      });
}

const ACTS: Readonly<Record<ScheduleAct, string>> = {
  cancel: 'cancel the schedules of a key, or the one with the id',
  pause: 'let them not run until they are resumed',
  resume: 'let them run again; of what recurs, runs that were due meanwhile are missed',
  trigger: 'let them run at once, beside the runs that are to come',
};

function addAddCommand(schedules: Command, context: CommandContext): void {
  sharedOptions(schedules.command('add').argument('<key>', 'the key of the message'))
    .description('schedule a message: once (--due-at, --delay) or again and again (--every, --cron)')
    .option('--value <text>', 'its value (default: empty)')
    .option('--value-file <file>', 'its value, from a file')
    .option('--header <name=value>', 'a header of it; may be repeated', headerOption)
    .option('--id <id>', 'several schedules of one key have ids; the same id replaces')
    .option('--due-at <instant>', 'once, then: ISO 8601 with a zone, or ms since the epoch')
    .option('--delay <time>', 'once, so long from now: 90s, 30m, 36h, 250ms', lengthOption)
    .option('--every <time>', 'each time so much has passed', lengthOption)
    .option('--cron <expression>', 'five fields, or six with seconds first')
    .option('--time-zone <zone>', 'of --cron, as Europe/Berlin (default: UTC)')
    .option('--start-at <instant>', 'it recurs from then on')
    .option('--end-at <instant>', 'no run after that')
    .option('--max-runs <n>', 'so many runs', integerFrom(1))
    .option('--expires <time>', 'a run that is later than this does not come', lengthOption)
    .option('--jitter <time>', 'each run comes later by some of this, to spread what is due together', lengthOption)
    .option('--target <topic>', "for that topic, one of the pipeline's targets (default: its output)")
    .option('--reset', 'begin from the first run, if the same recurs under this name already')
    .addHelpText('after', ADD_HELP)
    .action(async (key: string, flags: Omit<AddFlags, 'key'>) => {
      await context.action<AddFlags>(async (all, console) =>
        (await import('./schedules-action.ts')).runAdd(all, console, context.shell),
      )({ ...flags, key });
    });
}

function sharedOptions(command: Command): Command {
  return command
    .option('--pipeline <name>', 'which pipeline of the configuration (default: its only one of kind schedule)')
    .option('--partition <n>', 'where producers do not partition as Kafka does by default', integerFrom(0))
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption());
}

const ADD_HELP = `
The record is checked by the pipeline's rules before it is sent, and what would be a dead letter is an error instead. Sent, it
takes effect once the processor has read it: flatline schedules get shows it then.

Examples:
  $ flatline schedules add anna --delay 1h --value '{"remind":"dentist"}' --id dentist
  $ flatline schedules add report --cron '0 7 * * MON-FRI' --time-zone Europe/Berlin --value-file report.json
  $ flatline schedules cancel anna --id dentist
`;
