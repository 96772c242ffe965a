import type { FlatlineConfig } from '@flatline/config';
import { openSummaryConsumer, type SummaryConsumer } from '@flatline/client';
import type { Command } from 'commander';
import { clusterOf, connect } from '../cluster.ts';
import type { ConfigurationFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { pipelineNamed } from '../pipeline-choice.ts';
import { outputText, outputValue } from '../sessions/output-line.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { requireTopic } from '../topics/require-topic.ts';
import type { CommandContext } from './context.ts';
import { brokersOption, configOption, integerFrom, jsonOption, topicName } from './flags.ts';

interface TailFlags extends ConfigurationFlags {
  readonly topic?: string;
  readonly pipeline?: string;
  readonly fromBeginning?: boolean;
  readonly limit?: number;
  readonly follow: boolean;
  readonly tombstones?: boolean;
  readonly json?: boolean;
}

export function addSessionsCommand(program: Command, context: CommandContext): void {
  const sessions = program.command('sessions').description('Sessions as the output topic tells of them.');
  sessions
    .command('tail')
    .description('print closed sessions as they are committed, until Ctrl-C')
    .option('--topic <topic>', 'the output topic (default: the one of the configuration)', topicName)
    .option('--pipeline <name>', 'which pipeline of the configuration (default: its only one)')
    .option('--from-beginning', 'begin with the oldest there is')
    .option('--limit <n>', 'end after so many', integerFrom(1))
    .option('--no-follow', 'print what is there from the beginning, and end')
    .option('--tombstones', 'also print when a session is final')
    .addOption(brokersOption())
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', tailHelp)
    .action(context.action<TailFlags>((flags, console) => runTail(flags, console, context.shell)));
}

const tailHelp = `
Examples:
  $ flatline sessions tail
  $ flatline sessions tail --topic visits --from-beginning --no-follow --json > closed.jsonl
  $ flatline sessions tail --topic visits --limit 1
`;

async function runTail(flags: TailFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { kafka, registry, config } = await clusterOf(shell, flags);
  const topic = flags.topic ?? outputTopicOf(config, flags.pipeline);
  const from = flags.fromBeginning === true || !flags.follow ? 'beginning' : 'end';
  const until = flags.follow ? undefined : 'end';
  const connection = await connect(kafka);
  await requireTopic(connection, shell.clock, topic).finally(() => {
    connection.close();
  });
  const { consumer, close } = await openSummaryConsumer({ kafka, topic, from, until, registry });
  shell.stop.signal.addEventListener('abort', () => {
    consumer.close();
  });
  try {
    if (from === 'end') console.note(`Waiting for sessions to close on ${topic}; Ctrl-C ends.`);
    await print(consumer, flags, console);
    return ExitCode.ok;
  } finally {
    await close();
  }
}

async function print(consumer: SummaryConsumer, flags: TailFlags, console: Console): Promise<void> {
  let printed = 0;
  for await (const record of consumer) {
    if (record.kind === 'tombstone' && flags.tombstones !== true) continue;
    console.result(outputValue(record), outputText(record, console.colors));
    printed += 1;
    if (printed === flags.limit) return;
  }
}

function outputTopicOf(config: FlatlineConfig | undefined, name: string | undefined): string {
  if (config === undefined) throw usageFailure('which topic? Give --topic, or --config with the configuration file');
  return pipelineNamed(config, name).output.topic;
}
