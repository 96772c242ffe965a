// The logs of a simulated cluster as the offline checker of libs/core/oracle reads them.
import type { LogBatch, LogRecord as SimulatedRecord, Simulation, SimulatedDisk } from '@flatline/cluster';
import {
  type BatchMark,
  type InputRecord,
  inputRecord,
  jsonEvent,
  letterRecord,
  type LogSource,
  outputRecord,
  type PartitionHistory,
  type PipelineRules,
  plainRecord,
  type RawRecord,
  type StoredState,
  verifyHistories,
} from '@flatline/oracle';
import { CHANGELOG, DEAD_LETTERS, INPUT, MAX_KEY_BYTES, OUTPUT, RULES } from './pipeline-names.ts';
import type { Scenario } from './scenario.ts';

/** What the checker finds wrong (V1, V3–V8, V11). `disk`: of the last process to leave in good order, if there is one. */
export async function verify(simulation: Simulation, scenario: Scenario, disk?: SimulatedDisk): Promise<string[]> {
  const partitions = Array.from({ length: scenario.partitions }, (_, partition) => partition);
  const histories = partitions.map((partition) => historyOf(simulation, partition, disk));
  const report = await verifyHistories(histories, { rules: rulesOf(scenario), inputTopic: INPUT });
  return report.violations.map(
    ({ rule, topic, partition, offset, what }) => `[${rule}] ${topic}/${partition} ${offset ?? ''}: ${what}`,
  );
}

export function rulesOf(scenario: Scenario): PipelineRules {
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
    input: source(INPUT, inputIn),
    changelog: source(CHANGELOG, (record) => plainRecord(rawOf(record))),
    output: source(OUTPUT, (record) => outputRecord(rawOf(record))),
    deadLetters: source(DEAD_LETTERS, (record) => letterRecord(rawOf(record))),
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

export function inputIn(record: SimulatedRecord): InputRecord {
  return inputRecord(rawOf(record), jsonEvent);
}

function rawOf(record: SimulatedRecord): RawRecord {
  const { offset, unreadable } = record;
  return unreadable === undefined ? record : { ...record, lastOffset: offset + unreadable - 1 };
}

function markOf({ baseOffset, lastOffset, producer, marker }: LogBatch): BatchMark {
  return {
    baseOffset,
    lastOffset,
    marker,
    producerId: producer?.producerId ?? -1,
    producerEpoch: producer?.epoch ?? -1,
    transactional: producer?.transactional ?? marker !== undefined,
  };
}
