// The logs of a partition's deliveries to webhooks, for the oracle (V10).
import type { NotifiedPipeline } from '@flatline/config';
import type { KafkaLogAdmin } from '@flatline/kafka';
import type { DeliveryHistory, LogSource, WholeRecord } from '@flatline/oracle';
import type { TopicPartition } from '@flatline/ports';
import { cutLog, type Cutting, type LogCut, sourceOf } from './log-cut.ts';
import { rawRecords } from './record-readers.ts';

export interface DeliveryCuts {
  readonly kept: LogCut;
  readonly keptDecidedBelow: number;
  readonly undeliverable: LogCut;
  readonly due: LogCut;
  readonly outputs: LogCut;
  readonly taken: Readonly<Record<'outputs' | 'due', { before: number | undefined; behind: number | undefined }>>;
}

export interface DeliveryCutting {
  readonly cutting: Cutting;
  readonly admin: Pick<KafkaLogAdmin, 'committedOffset'>;
}

export interface DeliveryReading extends Pick<Cutting, 'scan' | 'transactionMs'> {
  readonly isUndeliverableCompacted: boolean;
}

/** In the order by which nothing is missed (DeliveryHistory). */
export async function cutDeliveries(
  { pipeline, deliveries, undeliverableTopic, group }: NotifiedPipeline,
  partition: number,
  { cutting, admin }: DeliveryCutting,
): Promise<DeliveryCuts> {
  const at = (topic: string): TopicPartition => ({ topic, partition });
  const [outputs, due] = [at(pipeline.output.topic), at(deliveries.output.topic)];
  const takenOf = async (log: TopicPartition) => (await admin.committedOffset(group, log))?.offset;
  const before = { outputs: await takenOf(outputs), due: await takenOf(due) };
  const { end: keptDecidedBelow } = await cutLog(at(deliveries.input.topic), cutting);
  const undeliverable = await cutLog(at(undeliverableTopic), cutting);
  const kept = await cutLog(at(deliveries.input.topic), cutting);
  const behind = { outputs: await takenOf(outputs), due: await takenOf(due) };
  return {
    kept,
    keptDecidedBelow,
    undeliverable,
    due: await cutLog(due, cutting),
    outputs: await cutLog(outputs, cutting),
    taken: {
      outputs: { before: before.outputs, behind: behind.outputs },
      due: { before: before.due, behind: behind.due },
    },
  };
}

export function deliveriesOf(
  { application, pipeline, endpoints }: NotifiedPipeline,
  { kept, keptDecidedBelow, undeliverable, due, outputs, taken }: DeliveryCuts,
  { scan, transactionMs, isUndeliverableCompacted }: DeliveryReading,
): DeliveryHistory {
  const sourceFrom = (cut: LogCut): LogSource<WholeRecord> =>
    sourceOf(cut, (position) => scan.readBytes(cut.partition, position), rawRecords);
  return {
    application,
    pipeline: pipeline.name,
    webhooks: new Set(endpoints.flatMap(({ name, target }) => ('url' in target ? [name] : []))),
    kept: sourceFrom(kept),
    keptDecidedBelow,
    undeliverable: sourceFrom(undeliverable),
    isUndeliverableCompacted,
    transactionMs,
    due: sourceFrom(due),
    outputAt: recordsOf(outputs, sourceFrom),
    outputStart: outputs.logStart,
    outputs: { ...taken.outputs, end: outputs.end },
    dueRuns: { ...taken.due, end: due.end },
  };
}

/** Looks up one record at a time; those that were read with it are at hand. */
function recordsOf(
  cut: LogCut,
  sourceFrom: (cut: LogCut) => LogSource<WholeRecord>,
): (offset: number) => Promise<WholeRecord | undefined> {
  let read = { from: 0, below: 0, records: new Map<number, WholeRecord>() };
  return async (offset) => {
    if (offset >= cut.end) return undefined;
    if (offset < read.from || offset >= read.below) {
      const part = await sourceFrom({ ...cut, logStart: offset }).read();
      const { records = [], batches = [] } = part ?? {};
      const below = (batches.at(-1)?.lastOffset ?? offset) + 1;
      read = { from: offset, below, records: new Map(records.map((record) => [record.offset, record])) };
    }
    return read.records.get(offset);
  };
}
