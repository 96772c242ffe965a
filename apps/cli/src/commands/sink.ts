import type { Command } from 'commander';
import { tableOption } from '../sinks/table-option.ts';
import type { CommandContext } from './context.ts';
import { clusterOption, configOption, integerFrom, jsonOption, topicName } from './flags.ts';
import type { SinkFlags } from './sink-action.ts';

const MIB = 1024 * 1024;

export function addSinkCommand(program: Command, context: CommandContext): void {
  const sink = program.command('sink').description('write outputs into a database');
  sink
    .command('postgres')
    .description('write the outputs of a pipeline into a table of PostgreSQL, each exactly once, until Ctrl-C')
    .option('--database <url>', 'postgresql://user@host:port/database (default: by PGHOST, PGUSER, PGDATABASE, …)')
    .option('--table <name>', 'the table, with its schema and a dot where that is not public', tableOption)
    .option('--create', "create what is not there: the table, its views, and the positions' table")
    .option('--print-ddl', 'print the statements of --create, and end')
    .option('--pipeline <name>', 'which pipeline of the configuration (default: its only one)')
    .option('--topic <topic>', 'one of the targets of a pipeline of schedules (default: the output)', topicName)
    .option('--group <group>', 'sinks of one group share the partitions (default: APPLICATION.PIPELINE.sink.TABLE)')
    .option('--batch-bytes <n>', 'bytes in one transaction (default: 8388608)', integerFrom(1, 256 * MIB))
    .option('--no-follow', 'write what is committed now, and end')
    .addOption(clusterOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', SINK_HELP)
    .action(
      context.action<SinkFlags>(async (flags, console) =>
        (await import('./sink-action.ts')).runSinkCommand(flags, console, context.shell),
      ),
    );
}

const SINK_HELP = `
The table stands where its positions say, which are written in the same transaction: killed at any moment it goes on without
a gap and without a row twice. Several share the partitions; the one that has claimed a partition last is the only one that can
write it. A password comes from PGPASSWORD, or from the file that PGPASSFILE names, not from a flag that others can read.

Examples:
  $ flatline sink postgres --table visits --create --database postgresql:///shop
  $ flatline sink postgres --table reports.visits --no-follow
  $ flatline sink postgres --table visits --print-ddl
`;
