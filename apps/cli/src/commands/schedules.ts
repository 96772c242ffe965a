import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { addEntryCommands } from './entries.ts';
import { headerOption, integerFrom, keyActOptions, lengthOption } from './flags.ts';
import { keyAction } from './key-action.ts';
import type { ActFlags, AddFlags, ScheduleAct } from './schedules-action.ts';

export function addScheduleCommands(schedules: Command, context: CommandContext): void {
  addEntryCommands(schedules, 'schedule', context);
  addAddCommand(schedules, context);
  for (const act of Object.keys(ACTS) as ScheduleAct[])
    keyActOptions(schedules.command(act).argument('<key>', 'the key'), 'schedule')
      .description(ACTS[act])
      .option('--id <id>', 'only the schedule with this id (default: all of the key)')
      .action(
        keyAction<Omit<ActFlags, 'key' | 'act'>>(context, async (flags, console) =>
          (await import('./schedules-action.ts')).runAct({ ...flags, act }, console, context.shell),
        ),
      );
}

const ACTS: Readonly<Record<ScheduleAct, string>> = {
  cancel: 'cancel the schedules of a key, or the one with the id',
  pause: 'do not run them until they are resumed',
  resume: 'run them again; recurring ones miss the runs that were due meanwhile',
  trigger: 'run them at once, in addition to the runs to come',
};

function addAddCommand(schedules: Command, context: CommandContext): void {
  keyActOptions(schedules.command('add').argument('<key>', 'the key of the message'), 'schedule')
    .description('schedule a message: once (--due-at, --delay) or again and again (--every, --cron)')
    .option('--value <text>', 'its value (default: empty)')
    .option('--value-file <file>', 'its value, from a file')
    .option('--header <name=value>', 'a header of it; may be repeated', headerOption)
    .option('--id <id>', 'tells schedules of one key apart; the same id replaces')
    .option('--due-at <instant>', 'once, at this instant: ISO 8601 with a zone, or ms since the epoch')
    .option('--delay <time>', 'once, this long from now: 90s, 30m, 36h, 250ms', lengthOption)
    .option('--every <time>', 'again and again, at this interval', lengthOption)
    .option('--cron <expression>', 'five fields, or six with seconds first')
    .option('--time-zone <zone>', 'time zone of --cron: Europe/Berlin (default: UTC)')
    .option('--start-at <instant>', 'recur from this instant on')
    .option('--end-at <instant>', 'no run after this instant')
    .option('--max-runs <n>', 'number of runs', integerFrom(1))
    .option('--expires <time>', 'drop a run that is later than this', lengthOption)
    .option('--jitter <time>', 'delay each run by up to this, to spread what is due together', lengthOption)
    .option('--target <topic>', "topic of the message, one of the pipeline's targets (default: its output)")
    .option('--reset', 'begin again from the first run, if the same schedule recurs already')
    .addHelpText('after', ADD_HELP)
    .action(
      keyAction<Omit<AddFlags, 'key'>>(context, async (flags, console) =>
        (await import('./schedules-action.ts')).runAdd(flags, console, context.shell),
      ),
    );
}

const ADD_HELP = `
The record is checked by the pipeline's rules before it is sent, and what would be a dead letter is an error instead. It
takes effect once the processor has read it: flatline schedules get shows it then.

Examples:
  $ flatline schedules add anna --delay 1h --value '{"remind":"dentist"}' --id dentist
  $ flatline schedules add report --cron '0 7 * * MON-FRI' --time-zone Europe/Berlin --value-file report.json
  $ flatline schedules cancel anna --id dentist
`;
