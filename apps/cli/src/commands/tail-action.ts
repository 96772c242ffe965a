import type { FlatlineConfig } from '@flatline/config';
import { openSummaryConsumer, type OutputRecord, type SummaryConsumer } from '@flatline/client/parts';
import { clusterOf, connect } from '../cluster.ts';
import type { ConfigurationFlags } from '../configuration.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { pipelineOfKind } from '../pipeline-choice.ts';
import { outputTable, outputValue } from '../sessions/output-line.ts';
import type { Shell } from '../shell.ts';
import type { Console } from '../terminal/console.ts';
import { requireTopic } from '../topics/require-topic.ts';

export interface TailFlags extends ConfigurationFlags {
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

export async function runTail(asked: TailFlags, console: Console, shell: Shell): Promise<ExitCode> {
  const { since = 0 } = asked;
  const flags = since < 0 ? { ...asked, since: shell.clock.wallMs() + since } : asked;
  const { kafka, registry, config } = await clusterOf(shell, flags, ['kafka', 'schemaRegistry']);
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
    await print(consumer, flags, console);
    return ExitCode.ok;
  } finally {
    await close();
  }
}

async function print(consumer: SummaryConsumer, flags: TailFlags, console: Console): Promise<void> {
  const { heading, line } = outputTable(console.colors, console.width);
  console.heading(heading);
  let printed = 0;
  for await (const record of consumer) {
    if ((record.kind === 'tombstone' && flags.tombstones !== true) || !isAsked(record, flags)) continue;
    console.result(outputValue(record), line(record));
    printed += 1;
    if (printed === flags.limit) return;
  }
}

function isAsked(record: OutputRecord, { since, key }: TailFlags): boolean {
  const ofKey = 'summary' in record ? record.summary.key : record.key;
  if (key !== undefined && (ofKey === null || !Buffer.from(key).equals(ofKey))) return false;
  return since === undefined || ('summary' in record ? record.summary.closedAt : record.timestamp) >= since;
}

function outputTopicOf(config: FlatlineConfig | undefined, name: string | undefined): string {
  if (config === undefined) throw usageFailure('which topic? Give --topic, or --config with the configuration file');
  return pipelineOfKind(config, 'session', name).output.topic;
}
