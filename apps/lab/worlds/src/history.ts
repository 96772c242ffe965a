// The logs of a simulated cluster as the offline checker of libs/core/oracle reads them.
import type { Clock } from '@flatline/base';
import { EventFormats } from '@flatline/records';
import { blankEvent } from '@flatline/kinds';
import type { LogBatch, LogRecord as SimulatedRecord, Simulation, SimulatedDisk } from '@flatline/cluster';
import {
  type BatchMark,
  type InputEvent,
  type LetterOrigin,
  type LogRecord,
  type LogSource,
  type PartitionHistory,
  type PipelineRules,
  type StoredState,
  verifyHistories,
} from '@flatline/oracle';
import { CHANGELOG, CLOCK_HEADER, DEAD_LETTERS, INPUT, MAX_KEY_BYTES, OUTPUT, RULES } from './pipeline-names.ts';
import type { Scenario } from './scenario.ts';

const text = new TextDecoder();
const NO_CLOCK: Clock = { wallMs: () => 0, monotonicMs: () => 0, after: () => () => undefined };
const decoder = new EventFormats({ format: 'json', registry: undefined, clock: NO_CLOCK });

/** What the checker finds wrong (V1, V3–V8, V10, V11). `disk`: of the last process to leave in good order, if there is one. */
export async function verify(simulation: Simulation, scenario: Scenario, disk?: SimulatedDisk): Promise<string[]> {
  const partitions = Array.from({ length: scenario.partitions }, (_, partition) => partition);
  const histories = partitions.map((partition) => historyOf(simulation, partition, disk));
  const report = await verifyHistories(histories, { rules: rulesOf(scenario), inputTopic: INPUT });
  return report.violations.map(
    ({ rule, topic, partition, offset, what }) => `[${rule}] ${topic}/${partition} ${offset ?? ''}: ${what}`,
  );
}

function rulesOf(scenario: Scenario): PipelineRules {
  const { timestampType, timeoutMs, maxDurationMs, tombstones, proof, heldTime, bounds } = scenario;
  const { unheardMs, maxHoldMs } = heldTime ?? { unheardMs: 0, maxHoldMs: 0 };
  const { entriesMax, keyBytesMax } = bounds;
  const sizes = { ...RULES, timestampType, maxKeyBytes: MAX_KEY_BYTES, entriesMax, keyBytesMax };
  return { ...sizes, timeoutMs, maxDurationMs, tombstones, proof, unheardMs, maxHoldMs };
}

function historyOf(simulation: Simulation, partition: number, disk: SimulatedDisk | undefined): PartitionHistory {
  const source = <R>(topic: string, read: (record: SimulatedRecord) => R): LogSource<R> =>
    sourceOf(simulation, topic, partition, read);
  return {
    partition,
    input: source(INPUT, (record) => ({
      ...plain(record),
      hasClockHeader: record.headers.some(({ name }) => name === CLOCK_HEADER),
      event: eventIn(record.value),
      lastOffset: record.unreadable === undefined ? undefined : record.offset + record.unreadable - 1,
    })),
    changelog: source(CHANGELOG, plain),
    output: source(OUTPUT, (record) => ({
      ...plain(record),
      incarnation: headerIn(record, 'flatline-incarnation'),
      summary: record.value === null ? undefined : (JSON.parse(text.decode(record.value)) as Record<string, unknown>),
    })),
    deadLetters: source(DEAD_LETTERS, (record) => ({
      ...{ offset: record.offset, key: record.key, value: record.value, origin: originIn(record) },
    })),
    outputSettledBelow: Infinity,
    // What comes due while processes leave is closed by nobody; that all else was closed is seen before.
    unsettled: () => Promise.resolve('everyone has left'),
    store: storedIn(disk, partition),
  };
}

function storedIn(disk: SimulatedDisk | undefined, partition: number): StoredState | undefined {
  const file = disk?.file(partition);
  if (file?.checkpoint === undefined) return undefined;
  return { position: file.checkpoint.changelogPosition, entries: file.entries.values() };
}

/** In one piece: a run's logs are short. */
function sourceOf<R>(
  simulation: Simulation,
  topic: string,
  partition: number,
  read: (record: SimulatedRecord) => R,
): LogSource<R> {
  const { log } = simulation;
  let isRead = false;
  return {
    topic,
    start: log.partition(topic, partition).ends().logStartOffset,
    read: () => {
      if (isRead) return Promise.resolve(undefined);
      isRead = true;
      const records = log.committed(topic, partition).map(read);
      return Promise.resolve({ records, batches: log.batches(topic, partition).map(markOf) });
    },
    hanging: () => Promise.resolve([]),
  };
}

function plain({ offset, timestamp, key, value, logAppendTime }: SimulatedRecord): LogRecord {
  return { offset, timestamp, key, value, logAppendTime };
}

function markOf({ baseOffset, lastOffset, producer, marker }: LogBatch): BatchMark {
  return {
    ...{ baseOffset, lastOffset, marker },
    producerId: producer?.producerId ?? -1,
    producerEpoch: producer?.epoch ?? -1,
    transactional: producer?.transactional ?? marker !== undefined,
  };
}

function eventIn(value: Uint8Array | null): InputEvent | 'bad' | undefined {
  if (value === null || value.length === 0) return undefined;
  const event = blankEvent();
  return decoder.decode(value, 0, value.length, event).kind === 'event' ? event : 'bad';
}

function originIn(record: SimulatedRecord): LetterOrigin {
  const numberIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  const truncated = headerIn(record, 'flatline-truncated') ?? '';
  return {
    offset: Number(headerIn(record, 'flatline-offset')),
    reason: headerIn(record, 'flatline-reason') ?? '',
    keyBytes: numberIn(/key=(\d+)/.exec(truncated)?.[1]),
    valueBytes: numberIn(/value=(\d+)/.exec(truncated)?.[1]),
    lastOffset: numberIn(headerIn(record, 'flatline-last-offset')),
  };
}

function headerIn({ headers }: SimulatedRecord, wanted: string): string | undefined {
  const value = headers.find(({ name }) => name === wanted)?.value;
  return value == null ? undefined : text.decode(value);
}
