// The logs of a simulated cluster as the oracle reads them: our own logs with everything ever committed to them.
import {
  type EndedTransaction,
  type LogBatch,
  type LogRecord,
  scannedBatch,
  scannedRecord,
  type SimulatedDisk,
  type Simulation,
} from '@flatline/cluster';
import type { Judged } from '@flatline/lab-kinds';
import {
  type BatchMark,
  type InputRecord,
  type InputTruth,
  letterRecord,
  type LogPart,
  type LogSource,
  outputRecord,
  type PartitionHistory,
  plainRecord,
  type RawRecord,
  type StoredState,
} from '@flatline/oracle';
import { CHANGELOG, DEAD_LETTERS, GROUP, INPUT, OUTPUT, STATS } from '../pipeline-names.ts';
import { recordsOf, writtenTo } from './decisions.ts';

export interface HistoryParts {
  readonly judged: Judged;
  readonly simulation: Simulation;
  readonly partition: number;
  readonly truth: InputTruth;
  /** Settings of its commits; undefined: not stated. */
  readonly settings?: PartitionHistory['settings'];
  /** The topic judged as the output. Default: the pipeline's. */
  readonly outputTopic?: string;
  /** The input as it was read, if an election has replaced it since. */
  readonly inputRead?: readonly LogRecord[] | undefined;
  /** Topics that are read with the first one. Default: none. */
  readonly furtherInputs?: readonly string[];
  /** All work is said to be done. Otherwise: why something may be left undone. */
  readonly undone?: string | undefined;
  /** The disk of the last process to leave cleanly, if there is one. */
  readonly disk?: SimulatedDisk | undefined;
}

export function historyOf({ judged, simulation, partition, ...parts }: HistoryParts): PartitionHistory {
  const { truth, inputRead, undone, disk, settings, outputTopic = OUTPUT, furtherInputs = [] } = parts;
  const { log } = simulation;
  const kept = <R>(topic: string, read: (record: RawRecord) => R): LogSource<R> =>
    sourceOf(topic, committedParts(simulation, topic, partition, read));
  const input = inputRead ?? log.committed(INPUT, partition);
  return {
    partition,
    truth,
    ...(settings && { settings }),
    input: sourceOf(INPUT, [{ records: input.map((record) => inputOf(record, judged)), batches: [] }]),
    furtherInputs: furtherInputs.map((topic) => {
      const records = log.committed(topic, partition).map((record) => inputOf(record, judged));
      return { log: sourceOf(topic, [{ records, batches: [] }]) };
    }),
    changelog: {
      ...kept(CHANGELOG, plainRecord),
      hanging: () => Promise.resolve(hanging(simulation, partition, disk)),
    },
    changelogTruncatedTo: log.partition(CHANGELOG, partition).ends().logStartOffset,
    output: kept(outputTopic, (record) => outputRecord(record)),
    deadLetters: kept(DEAD_LETTERS, letterRecord),
    stats: { log: kept(STATS, (record) => outputRecord(record)), decidedBelow: Infinity },
    outputDecidedBelow: Infinity,
    whyUndone: () => Promise.resolve(undone),
    isComplete: undone === undefined,
    store: storedIn(disk, partition),
  };
}

export function inputOf(record: LogRecord, judged: Judged): InputRecord {
  return judged.input(scannedRecord(record));
}

/** Each transaction in a part of its own: after an election, offsets repeat. */
export function committedParts<R>(
  { log }: Simulation,
  topic: string,
  partition: number,
  read: (record: RawRecord) => R,
): LogPart<R>[] {
  const decided = log.endedTransactions.flatMap((transaction): LogPart<R>[] => {
    const batches = writtenTo(transaction, topic, partition);
    if (batches.length === 0) return [];
    const records = transaction.marker === 'commit' ? recordsOf(batches) : [];
    return [
      {
        records: records.map(scannedRecord).map(read),
        batches: [...batches.map(scannedBatch), endMark(transaction, batches.at(-1)!)],
      },
    ];
  });
  const outside = log
    .batches(topic, partition)
    .filter(({ producer, marker }) => producer?.transactional !== true && marker === undefined);
  return [...decided, { records: recordsOf(outside).map(scannedRecord).map(read), batches: outside.map(scannedBatch) }];
}

/** Everything ever committed to it, including removed records. */
export function changelogEver(simulation: Simulation, partition: number): PartitionHistory['changelog'] {
  return sourceOf(CHANGELOG, committedParts(simulation, CHANGELOG, partition, plainRecord));
}

/** The rest of it after truncation and elections. */
export function changelogLeft({ log }: Simulation, partition: number): PartitionHistory['changelog'] {
  const records = log.committed(CHANGELOG, partition).map(scannedRecord).map(plainRecord);
  return sourceOf(CHANGELOG, [{ records, batches: [] }]);
}

export function sourceOf<R>(topic: string, parts: readonly LogPart<R>[]): LogSource<R> {
  let at = 0;
  return {
    topic,
    logStart: 0,
    read: () => Promise.resolve(parts[at++]),
    hanging: () => Promise.resolve([]),
  };
}

/** V6: once all processes have left cleanly, no transaction of the task is open. */
function hanging({ log }: Simulation, partition: number, disk: SimulatedDisk | undefined): BatchHanging[] {
  if (disk === undefined || !log.transactions.unsettled(`${GROUP}.${partition}`)) return [];
  return [{ producerId: -1, firstOffset: log.partition(CHANGELOG, partition).ends().lastStableOffset }];
}

type BatchHanging = Awaited<ReturnType<LogSource<unknown>['hanging']>>[number];

function storedIn(disk: SimulatedDisk | undefined, partition: number): StoredState | undefined {
  const file = disk?.file(partition);
  if (file === undefined) return undefined;
  // A store without a checkpoint must be empty because the changelog is.
  return { position: file.checkpoint?.changelogPosition ?? Infinity, entries: file.entries.values() };
}

/** The marker written when a transaction is decided. */
function endMark({ marker, epoch }: EndedTransaction, { lastOffset, producer }: LogBatch): BatchMark {
  const offset = lastOffset + 1;
  const { producerId } = producer!;
  return { baseOffset: offset, lastOffset: offset, marker, producerId, producerEpoch: epoch, transactional: true };
}
