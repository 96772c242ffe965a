// Summaries as a processor's output has them, written without one.
import type { KafkaConnection, ProducedRecord } from '@flatline/kafka';
import { writeRecords } from './writing.ts';

/** A summary and a null for each session, as fast as the broker takes them. @param from number of the first */
export async function writeSummaries(
  connection: KafkaConnection,
  { topic, count, from = 0 }: { readonly topic: string; readonly count: number; readonly from?: number },
): Promise<void> {
  await writeRecords(connection, { topic, records: (partitions) => outputsOf(from, count, partitions) });
}

function* outputsOf(from: number, count: number, partitions: number): Iterable<ProducedRecord> {
  for (let index = from; index < from + count; index += 1) {
    const key = Buffer.from(`session-${index}`);
    const partition = index % partitions;
    yield { partition, key, value: Buffer.from(JSON.stringify(summaryOf(index, partition))) };
    yield { partition, key, value: null };
  }
}

/** As FORMATS has it, with two attributes. */
export function summaryOf(index: number, partition: number): object {
  const startedAt = 1_700_000_000_000 + index;
  return {
    sessionId: `session-${index}`,
    incarnation: `${partition}-${index}`,
    revision: 0,
    state: 'CLOSED',
    reason: 'TIMEOUT',
    startedAt,
    lastSeenAt: startedAt + 8_000,
    endedAt: startedAt + 8_000,
    durationMs: 8_000,
    deadlineAt: startedAt + 18_000,
    closedAt: startedAt + 18_000,
    emittedAt: startedAt + 18_020,
    timeoutMs: 10_000,
    eventCount: 2,
    duplicateCount: 0,
    outOfOrderCount: 0,
    missingCount: 0,
    attributes: { page: '/cart', campaign: 'autumn' },
    partition,
    firstOffset: index,
    lastOffset: index + 1,
  };
}
