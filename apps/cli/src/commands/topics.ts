import type { Command } from 'commander';
import { ExitCode } from '../exit-code.ts';
import { addAlterCommand } from './topics-alter.ts';
import { type TopicsFlags } from './topics-inspection.ts';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, integerFrom, jsonOption } from './flags.ts';

export function addTopicsCommand(program: Command, context: CommandContext): void {
  const topics = program.command('topics').description('check, create and alter the topics of a configuration');
  topics
    .command('create')
    .description('create what is missing; what exists is compared and never changed')
    .option(
      '--partitions <n>',
      'partitions of an input that does not exist yet; the other topics follow it (default: 8)',
      integerFrom(1, 100_000),
    )
    .option('--replication <n>', "copies of each partition (default: the broker's)", integerFrom(1, 100))
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', CREATE_HELP)
    .action(
      context.action<TopicsFlags>(async (flags, console) =>
        (await import('./topics-actions.ts')).runCreate(flags, console, context.shell),
      ),
    );
  topics
    .command('check')
    .description(`list everything that is missing or wrong; exit code ${ExitCode.failedCheck} if anything is`)
    .addOption(configOption())
    .addOption(brokersOption('the configuration'))
    .addOption(jsonOption())
    .addHelpText('after', CHECK_HELP)
    .action(
      context.action<TopicsFlags>(async (flags, console) =>
        (await import('./topics-actions.ts')).runCheck(flags, console, context.shell),
      ),
    );
  addAlterCommand(topics, context);
}

const CREATE_HELP = `
If an existing topic cannot be used as it is, nothing is created: everything that is wrong is listed, with its remedy.

Examples:
  $ flatline topics create
  $ flatline topics create --config shop.config.json --partitions 32 --replication 3
`;

const CHECK_HELP = `
Examples:
  $ flatline topics check
  $ flatline topics check --config shop.config.json --json
`;
