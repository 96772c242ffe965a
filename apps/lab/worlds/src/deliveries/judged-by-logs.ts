// The verdict of `flatline verify` on a world's deliveries (V10): by the topics alone, without what the sites have heard.
import type { DurationMs } from '@flatline/base';
import { scannedBatch, scannedRecord } from '@flatline/cluster';
import { kindOf, type PipelineConfig } from '@flatline/kind-modules';
import {
  type DeliveryHistory,
  judgeDeliveryLogs,
  type JudgedRules,
  type LogSource,
  type WholeRecord,
} from '@flatline/oracle';
import type { DeliveryWorld } from './delivery-world.ts';

/** As brokers have it by default: no transaction may last longer. */
const TRANSACTION_MS: DurationMs = 900_000;

type Judged = Pick<DeliveryWorld, 'simulation' | 'notified'>;

export async function judgedByLogs(world: Judged, partition: number): Promise<readonly string[]> {
  return judgeDeliveryLogs(partition, await rulesOf(world.notified.pipeline), historyOf(world, partition));
}

function historyOf({ simulation: { log }, notified }: Judged, partition: number): DeliveryHistory {
  const { application, pipeline, deliveries, undeliverableTopic, group, endpoints } = notified;
  const source = (topic: string): LogSource<WholeRecord> => {
    const records = log.committed(topic, partition).map(scannedRecord);
    const parts = [{ records, batches: log.batches(topic, partition).map(scannedBatch) }];
    return { topic, logStart: 0, read: () => Promise.resolve(parts.shift()), hanging: () => Promise.resolve([]) };
  };
  const position = (topic: string) => {
    const offset = log.offsets.committed(group, { topic, partition })?.offset;
    return { before: offset, behind: offset, end: log.partition(topic, partition).ends().lastStableOffset };
  };
  const outputs = new Map(
    log.committed(pipeline.output.topic, partition).map((record) => [record.offset, scannedRecord(record)]),
  );
  return {
    application,
    pipeline: pipeline.name,
    webhooks: new Set(endpoints.map(({ name }) => name)),
    kept: source(deliveries.input.topic),
    keptDecidedBelow: log.partition(deliveries.input.topic, partition).ends().lastStableOffset,
    isUndeliverableCompacted: false,
    transactionMs: TRANSACTION_MS,
    undeliverable: source(undeliverableTopic),
    due: source(deliveries.output.topic),
    outputAt: (offset) => Promise.resolve(outputs.get(offset)),
    outputStart: 0,
    outputs: position(pipeline.output.topic),
    dueRuns: position(deliveries.output.topic),
  };
}

async function rulesOf(pipeline: PipelineConfig): Promise<JudgedRules> {
  const { input, output, heldTime } = pipeline;
  const { timestampType, maxKeyBytes } = input;
  const { rules } = await kindOf(pipeline).judging();
  return rules(pipeline, { timestampType, maxKeyBytes, tombstones: output.tombstones, proof: 'record', ...heldTime });
}
