import type { FlatlineConfig } from '@flatline/config';
import { openSummaryConsumer, type OutputRecord, type SummaryConsumer } from '@flatline/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { clusterOf, connect } from '../cluster.ts';
import type { ConfigurationFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { pipelineNamed } from '../pipeline-choice.ts';
import { outputHeading, outputText, outputValue } from '../sessions/output-line.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { requireTopic } from '../topics/require-topic.ts';
import type { CommandContext } from './context.ts';
import { clusterOption, configOption, integerFrom, jsonOption, topicName } from './flags.ts';

interface TailFlags extends ConfigurationFlags {
  readonly topic?: string;
  readonly pipeline?: string;
  readonly fromBeginning?: boolean;
  readonly limit?: number;
  readonly follow: boolean;
  readonly tombstones?: boolean;
  readonly since?: number;
  readonly key?: string;
  readonly format: 'auto' | 'json' | 'avro';
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
    .option(
      '--since <instant>',
      'those closed since: ISO 8601 with a zone, or a length of time before now as 30m',
      sinceOption,
    )
    .option('--key <session>', 'only this session')
    .addOption(
      new Option('--format <format>', 'how the topic is written').choices(['auto', 'json', 'avro']).default('auto'),
    )
    .option('--tombstones', 'also print when a session is final')
    .addOption(clusterOption(context.shell))
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText('after', TAIL_HELP)
    .action(context.action<TailFlags>((flags, console) => runTail(flags, console, context.shell)));
}

const TAIL_HELP = `
Examples:
  $ flatline sessions tail
  $ flatline sessions tail --topic visits --from-beginning --no-follow --json > closed.jsonl
  $ flatline sessions tail --topic visits --limit 1
  $ flatline sessions tail --since 1h --key anna
`;

async function runTail(asked: TailFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { since = 0 } = asked;
  const flags = since < 0 ? { ...asked, since: shell.clock.wallMs() + since } : asked;
  const { kafka, registry, config } = await clusterOf(shell, flags);
  const topic = flags.topic ?? outputTopicOf(config, flags.pipeline);
  const isPast = flags.fromBeginning === true || flags.since !== undefined || !flags.follow;
  const from = isPast ? 'beginning' : 'end';
  const until = flags.follow ? undefined : 'end';
  const connection = await connect(kafka, shell.stop);
  await requireTopic(connection, shell.clock, topic).finally(() => {
    connection.close();
  });
  const { consumer, close } = await openSummaryConsumer({ kafka, topic, from, until, registry, format: flags.format });
  shell.stop.signal.addEventListener('abort', () => {
    consumer.close();
  });
  try {
    if (from === 'end') console.note(`Waiting for sessions to close on ${topic}; Ctrl-C ends.`);
    console.heading(outputHeading());
    await print(consumer, flags, console);
    return ExitCode.ok;
  } finally {
    await close();
  }
}

async function print(consumer: SummaryConsumer, flags: TailFlags, console: Console): Promise<void> {
  let printed = 0;
  for await (const record of consumer) {
    if ((record.kind === 'tombstone' && flags.tombstones !== true) || !isAsked(record, flags)) continue;
    console.result(outputValue(record), outputText(record, console.colors));
    printed += 1;
    if (printed === flags.limit) return;
  }
}

function isAsked(record: OutputRecord, { since, key }: TailFlags): boolean {
  const isSummary = record.kind === 'summary';
  const ofKey = isSummary ? record.summary.key : record.key;
  if (key !== undefined && (ofKey === null || !Buffer.from(key).equals(ofKey))) return false;
  return since === undefined || (isSummary ? record.summary.closedAt : record.timestamp) >= since;
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds since the epoch; negative: so long before now. */
function sinceOption(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (amount !== '') return -Number(amount) * unitMs[unit]!;
  const at = /\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be as 2026-11-22T12:00:00Z, or as 30m.');
  return at;
}

function outputTopicOf(config: FlatlineConfig | undefined, name: string | undefined): string {
  if (config === undefined) throw usageFailure('which topic? Give --topic, or --config with the configuration file');
  return pipelineNamed(config, name).output.topic;
}
