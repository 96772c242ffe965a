import { type DurationMs, isConsequence, Misconfigured, Retriable } from '@flatline/base';
import { KafkaLogReader, type KafkaOptions } from '@flatline/kafka';
import { INCARNATION_HEADER, type LogSubscription, type RecordCursor } from '@flatline/ports';
import { withinDeadline } from '@flatline/system';
import { endsOf } from './open-summary-consumer.ts';

/** What takes longer is not looked at: whoever produces may have no right to read, and is not held up. */
const LOOK_MS: DurationMs = 2_000;

/** @throws Misconfigured where the topic begins with what a processor writes: it is an output. */
export async function checkInput(kafka: KafkaOptions, topic: string): Promise<void> {
  const reader = new KafkaLogReader(kafka);
  try {
    const late = (): Retriable => new Retriable(`the first record of ${topic} was not read in time`);
    const found = await withinDeadline(kafka.clock, LOOK_MS, firstOutput(kafka, reader, topic), late);
    if (found === undefined) return;
    const written = `topic ${topic} is written by a processor (${found} has the header ${INCARNATION_HEADER})`;
    throw new Misconfigured(`${written}: give the input topic of the pipeline, not its output`);
  } catch (error) {
    if (error instanceof Misconfigured || !isConsequence(error)) throw error;
  } finally {
    await reader.close();
  }
}

/** Where the first record of the topic lies, if it is a processor's. */
async function firstOutput(kafka: KafkaOptions, reader: KafkaLogReader, topic: string): Promise<string | undefined> {
  const filled = (await endsOf(kafka, topic)).find(({ start, end }) => start < end);
  if (filled === undefined) return undefined;
  const { partition, start } = filled;
  const cursor = await firstRecord(reader.subscribe({ topic, partition }, start));
  const isOutput = cursor.hasHeaders && cursor.headers().some(({ name }) => name === INCARNATION_HEADER);
  return isOutput ? `${partition}-${cursor.offset}` : undefined;
}

async function firstRecord(subscription: LogSubscription): Promise<RecordCursor> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      subscription.onChange(resolve);
    });
    for (let run = subscription.take(); run !== undefined; run = subscription.take())
      if (run.cursor.next()) return run.cursor;
    if (subscription.failure !== undefined) throw subscription.failure;
    await changed;
  }
}
