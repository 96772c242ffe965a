import { type Command, Option } from 'commander';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, integerFrom, jsonOption, LISTED_MAX } from './flags.ts';
import type { GetFlags, ListFlags } from './tasks-actions.ts';

export function addTasksCommand(program: Command, context: CommandContext): void {
  const tasks = program
    .command('tasks')
    .description('show what became of tasks that workers of the SDK have worked on');
  const actions = () => import('./tasks-actions.ts');
  common(tasks.command('list').description('show the last outcome of each task, the newest last, and count all'))
    .addOption(new Option('--state <state>', 'only those').choices(['DONE', 'FAILED', 'POISON']))
    .option('--key <key>', 'only those of this key')
    .option('--limit <n>', 'how many to list, the newest; all are counted', integerFrom(0, LISTED_MAX), 100)
    .addHelpText('after', LIST_HELP)
    .action(
      context.action<ListFlags>(async (flags, console) => (await actions()).runList(flags, console, context.shell)),
    );
  common(tasks.command('get').argument('<id>', 'as listed').description('show one task: its last outcome'))
    .addHelpText('after', GET_HELP)
    .action(async (id: string, flags: Omit<GetFlags, 'id'>) => {
      await context.action<GetFlags>(async (all, console) => (await actions()).runGet(all, console, context.shell))({
        ...flags,
        id,
      });
    });
}

function common(command: Command): Command {
  return command
    .option('--results <topic>', 'the topic of outcomes (default: <output>.results of the pipeline)')
    .option('--pipeline <name>', 'whose runs or batches are the tasks (default: the only one of schedules)')
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption());
}

const LIST_HELP = `
States: DONE, FAILED (it is tried again), POISON (it is not, and its message is kept).

Examples:
  $ flatline tasks list
  $ flatline tasks list --state POISON --json
`;

const GET_HELP = `
Exit code 1: nothing is recorded of it (yet).

Example:
  $ flatline tasks get 3-1207
`;
