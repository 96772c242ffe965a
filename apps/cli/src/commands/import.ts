import { Argument, type Command, Option } from 'commander';
import type { CommandContext } from './context.ts';
import { clusterOption, configOption, jsonOption, topicName } from './flags.ts';
import type { ImportFlags } from './import-action.ts';

export function addImportCommand(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('write a file of past events to a topic, with their own timestamps')
    .addArgument(
      new Argument(
        '<file>',
        'the file, also gzipped, or - for standard input; it is read twice, first only to check it',
      ),
    )
    .requiredOption('--topic <topic>', 'topic with message.timestamp.type=CreateTime', topicName)
    .addOption(
      new Option('--format <format>', 'how the lines are written')
        .choices(['apache', 'jsonl', 'csv'])
        .makeOptionMandatory(),
    )
    .option('--key <field>', 'jsonl, csv: the field that names the session (apache: the client address does)')
    .option('--time <field>', 'jsonl, csv: the field with the time, ISO 8601 with zone or Unix s or ms')
    .addOption(
      new Option(
        '--value <kind>',
        'empty: bare heartbeats; event: the other fields as a JSON event ' +
          '(default: empty for apache, event for jsonl and csv)',
      ).choices(['empty', 'event']),
    )
    .addOption(
      new Option('--on-bad-line <what>', 'stop: import nothing; skip: import the rest')
        .choices(['stop', 'skip'])
        .default('stop'),
    )
    .option('--close', 'stamp the closing clock records now, so that every session of the file closes')
    .option('--again', 'also a file whose first records the topic holds already')
    .addOption(clusterOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', IMPORT_HELP)
    .action(async (file: string, flags: Omit<ImportFlags, 'file'>) => {
      await context.action<ImportFlags>(async (all, console) =>
        (await import('./import-action.ts')).runImport(all, console, context.shell),
      )({ ...flags, file });
    });
}

const IMPORT_HELP = `
It ends with one clock record in every partition, stamped with the file's latest time: what was silent by then closes.
With --close they are stamped now, and everything closes.

A file whose first records (key, time, value) the topic holds already was imported before, at least in part: it is refused,
unless --again is given. Other files of the same events are not recognized.

Examples:
  $ flatline import access.log --topic visit-events --format apache --close
  $ zcat logs/*.gz | flatline import - --topic visit-events --format apache --close
  $ flatline import events.jsonl --topic visit-events --format jsonl --key user --time at
  $ flatline import events.csv --topic visit-events --format csv --key visitor --time time --on-bad-line skip --json
`;
