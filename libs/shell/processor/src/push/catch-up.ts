// Gives one subscriber what lies before the window, from a reading of its own, until the window goes on from there.
import { PartitionStopped } from '@flatline/base';
import type { LogReader, LogSubscription, RecordCursor } from '@flatline/ports';
import { type CursorTopic, cursorText } from './cursor.ts';
import { eventBytes } from './event-text.ts';
import type { HttpSink } from './http-sink.ts';
import { copyOf, outputJson } from './output.ts';
import type { OutputWindow } from './output-window.ts';
import { isAskedFor, partitionOfQuestion, type Question } from './question.ts';
import type { Start } from './subscriber.ts';

export interface CatchUpParts {
  readonly topicName: string;
  readonly topic: CursorTopic;
  readonly reader: Pick<LogReader, 'subscribe'>;
  readonly window: OutputWindow;
}

/** `lost`: what it asks for is not there any more. `over`: the connection has gone, or takes nothing. */
export type CaughtUp = 'caughtUp' | 'lost' | 'over';

/** Moves `start.vector` on. @throws Retriable, Fatal */
export async function catchUp(
  parts: CatchUpParts,
  question: Question,
  sink: HttpSink,
  start: Start,
): Promise<CaughtUp> {
  for (const [partition, offset] of start.vector) {
    if (offset >= fromOf(parts, partition)) continue;
    const subscription = parts.reader.subscribe({ topic: parts.topicName, partition }, offset);
    try {
      const outcome = await read(parts, { question, sink, start, partition }, subscription);
      if (outcome !== 'caughtUp') return outcome;
    } finally {
      subscription.close();
    }
  }
  return 'caughtUp';
}

function fromOf({ window }: CatchUpParts, partition: number): number {
  // One that is closed meanwhile is opened again by whoever asked for this.
  return window.fromOf(partition) ?? -Infinity;
}

interface Behind {
  readonly question: Question;
  readonly sink: HttpSink;
  readonly start: Start;
  readonly partition: number;
}

async function read(parts: CatchUpParts, behind: Behind, subscription: LogSubscription): Promise<CaughtUp> {
  const { question, sink, start, partition } = behind;
  while (start.vector.get(partition)! < fromOf(parts, partition)) {
    if (sink.isClosed) return 'over';
    const fetched = subscription.take();
    if (fetched !== undefined) {
      for (const { cursor } = fetched; cursor.next();)
        if (mayConcern(question, cursor) && !(await gives(parts, behind, copyOf(partition, cursor)))) return 'over';
      start.vector.set(partition, Math.max(start.vector.get(partition)!, fetched.nextOffset));
    } else if (subscription.failure instanceof PartitionStopped) return 'lost';
    else if (subscription.failure !== undefined) throw subscription.failure;
    else await changed(subscription, sink);
  }
  return 'caughtUp';
}

/** By its key alone: most of what lies there is others', and a copy of it would take a hundred times as long. */
function mayConcern({ by, bytes }: Question, cursor: RecordCursor): boolean {
  const { bytes: read, keyStart, keyLength } = cursor;
  if (by === 'key' ? keyLength !== bytes.length : keyLength < bytes.length) return false;
  for (let i = 0; i < bytes.length; i += 1) if (read[keyStart + i] !== bytes[i]) return false;
  return true;
}

/** False: the connection is over. */
async function gives(
  { topic }: CatchUpParts,
  { question, sink, start }: Behind,
  output: ReturnType<typeof copyOf>,
): Promise<boolean> {
  const { partition, offset, key } = output;
  if (offset < start.vector.get(partition)!) return true;
  start.vector.set(partition, offset + 1);
  if (!isAskedFor(question, output) || offset < (start.keys.get(key) ?? 0)) return true;
  const cursor = start.keys.size > 0 ? undefined : cursorText(topic, start.vector, partitionOfQuestion(question));
  return sink.sent(eventBytes('output', outputJson(output), cursor));
}

async function changed(subscription: LogSubscription, sink: HttpSink): Promise<void> {
  const { onClosed } = sink;
  await new Promise<void>((resolve) => {
    subscription.onChange(resolve);
    sink.onClosed = () => {
      onClosed();
      resolve();
    };
  });
  subscription.onChange(undefined);
  sink.onClosed = onClosed;
}
