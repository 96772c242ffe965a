// Reads the topics of one pipeline and has them judged.
import { type DurationMs, Misconfigured } from '@flatline/base';
import type { SchemaRegistry } from '@flatline/records';
import type { NotifiedPipeline, PipelineConfig } from '@flatline/config';
import { inputTopicsOf } from '@flatline/kind-modules';
import { type KafkaConnection, KafkaLogScan, type KafkaOptions, KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import {
  type InputTruth,
  type LedgerLine,
  type ReachCounter,
  type VerificationReport,
  verifyHistories,
} from '@flatline/oracle';
import { histories, type RoutedTopic, type Since } from './pipeline-histories.ts';
import { rulesOf } from './rules-of.ts';
import { type LogScan, stoppableScan } from './stoppable-scan.ts';
import { StoreCopy } from './store-copy.ts';

const TRANSACTION_MS: DurationMs = 30_000;

export interface VerifyPipelineOptions {
  readonly kafka: KafkaOptions;
  readonly pipeline: PipelineConfig;
  /** Needed where Avro comes. */
  readonly registry?: SchemaRegistry | undefined;
  /** Its outputs go to webhooks: what the logs tell of that is judged, too (V10). Default: it is not. */
  readonly notified?: NotifiedPipeline | undefined;
  /** Lines of `flatline simulate --ledger` (X3). */
  readonly ledger?: Iterable<LedgerLine> | undefined;
  /** Facts that the maker of the input knows of its records. Default: the processor is believed where no log tells. */
  readonly truth?: InputTruth | undefined;
  /** V12: at least so many of each must have happened. */
  readonly reach?: Partial<Readonly<Record<ReachCounter, number>>> | undefined;
  /** All work was done before the processors stopped: what is due and open, and what no commit covers, is a violation (V2). */
  readonly complete?: boolean | undefined;
  /** V8: where the local stores of a processor are that was stopped. */
  readonly localStores?: { readonly stateDir: string; readonly application: string } | undefined;
  /** Judges what came from there on, by the state that the changelog had then. Default: everything that is there. */
  readonly since?: Since | undefined;
  /** How long a transaction of a task may take (the pipeline's transactionTimeoutMs and some); default 30 s. */
  readonly transactionMs?: DurationMs | undefined;
  /** Input records folded so far, and about how many there are. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Before that: bytes of the changelogs that were copied so far. */
  readonly onCopied?: ((bytes: number) => void) | undefined;
  /** Ends the reading. Default: nothing does. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Checks all partitions of a pipeline up to their present ends. Processors may run meanwhile.
 * @throws Fatal where a topic is missing; Retriable where no broker answers; PartitionStopped where a log is damaged or was
 * deleted from under the reading; the signal's reason where it is aborted: copies are removed.
 */
export async function verifyPipeline(options: VerifyPipelineOptions): Promise<VerificationReport> {
  const { kafka, signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const connection = openCluster(kafka);
  try {
    return await verified(options, connection, signal);
  } finally {
    connection.close();
  }
}

async function verified(
  options: VerifyPipelineOptions,
  connection: KafkaConnection,
  signal: AbortSignal,
): Promise<VerificationReport> {
  const { kafka, pipeline, notified, registry, ledger, truth, reach, complete = false, onProgress, onCopied } = options;
  const { clock } = kafka;
  if (pipeline.inputs !== undefined && options.since !== undefined && 'offset' in options.since)
    throw new Misconfigured(
      `pipeline ${pipeline.name} has several inputs (${inputTopicsOf(pipeline).join(', ')}), and no offset is one of all of ` +
        'them: say since when as an instant',
    );
  const rules = await rulesOf(pipeline);
  const { localStores } = options;
  const stores = localStores && (await StoreCopy.make({ ...localStores, pipeline: pipeline.name }));
  try {
    const admin = new KafkaTopicAdmin({ clock, connection });
    const partitions = await partitionsOf(pipeline, admin);
    const routedTo = (former: ReadonlySet<string>) => routedToBy(pipeline, former, admin);
    // Names the topics of today that are missing before anything is read.
    await routedTo(new Set());
    const isUndeliverableCompacted = await requireDeliveries(notified, partitions, admin);
    const scan = stoppableScan(new KafkaLogScan({ clock, connection }), signal);
    const lengths = inputTopicsOf(pipeline).map((topic) => inputLength(topic, partitions, scan));
    const total = (await Promise.all(lengths)).reduce((sum, length) => sum + length, 0);
    let copied = 0;
    const cutting = {
      scan,
      clock,
      signal,
      transactionMs: options.transactionMs ?? TRANSACTION_MS,
      onCopied: (bytes: number) => {
        copied += bytes;
        onCopied?.(copied);
      },
    };
    const sources = {
      connection,
      cutting,
      registry,
      truth,
      complete,
      stores,
      since: options.since,
      routedTo,
      notified,
      isUndeliverableCompacted,
    };
    return await verifyHistories(histories(pipeline, partitions, sources), {
      rules,
      inputTopic: pipeline.input.topic,
      ...(pipeline.input.partitioner === 'murmur2' && { keyPartitions: partitions }),
      ...(ledger === undefined ? {} : { ledger }),
      ...(reach === undefined ? {} : { reach }),
      ...(onProgress === undefined
        ? {}
        : {
            onProgress: (done) => {
              onProgress(done, total);
            },
          }),
    });
  } finally {
    await stores?.remove();
  }
}

/** In offsets, which is a little more than records. */
async function inputLength(topic: string, partitions: number, scan: LogScan): Promise<number> {
  const bounds = await Promise.all(
    Array.from({ length: partitions }, (_, partition) => scan.bounds({ topic, partition })),
  );
  return bounds.reduce((sum, { logStartOffset, lastStableOffset }) => sum + lastStableOffset - logStartOffset, 0);
}

/** Partition count of the pipeline's topics, the same for all (O5). */
async function partitionsOf(pipeline: PipelineConfig, admin: KafkaTopicAdmin): Promise<number> {
  const topics = [...inputTopicsOf(pipeline), pipeline.output.topic, pipeline.changelogTopic, pipeline.deadLetterTopic];
  const found = await admin.describeTopics(topics);
  const counts = found.map((finding) => {
    if (finding.kind === 'present') return finding.partitions;
    const remedy =
      finding.topic === pipeline.changelogTopic
        ? 'if it has never been there, run flatline topics create; if it was lost, restore it, or give its state up (flatline reset, with every processor stopped, then flatline topics create)'
        : 'correct its name, or run flatline topics create';
    throw new Misconfigured(
      finding.kind === 'missing'
        ? `topic ${finding.topic} of pipeline ${pipeline.name} does not exist: ${remedy}`
        : `topic ${finding.topic} may not be read by this user: allow it DESCRIBE and READ`,
    );
  });
  if (new Set(counts).size > 1)
    throw new Misconfigured(
      `the topics of pipeline ${pipeline.name} have different partition counts: ${topics.map((topic, i) => `${topic} ${counts[i]!}`).join(', ')}; see flatline topics check`,
    );
  return counts[0]!;
}

/** The topics to which its routes lead (P3), and those `former` ones that there are. */
async function routedToBy(
  { name, routes = [] }: PipelineConfig,
  former: ReadonlySet<string>,
  admin: KafkaTopicAdmin,
): Promise<ReadonlyMap<string, RoutedTopic>> {
  const today = new Set(routes.map(({ to }) => to));
  const topics = [...new Set([...today, ...former])];
  if (topics.length === 0) return new Map();
  const found = await admin.describeTopics(topics);
  return new Map(
    found.flatMap((finding): [string, RoutedTopic][] => {
      if (finding.kind === 'present') {
        const { topic, partitions, cleanupPolicy } = finding;
        return [[topic, { partitions, isCompacted: cleanupPolicy.includes('compact') }]];
      }
      // Records routed there are undecided.
      if (!today.has(finding.topic)) return [];
      throw new Misconfigured(
        finding.kind === 'missing'
          ? `topic ${finding.topic}, to which routes of pipeline ${name} lead, does not exist: create it, or take them out`
          : `topic ${finding.topic}, to which routes of pipeline ${name} lead, may not be read by this user: allow it DESCRIBE and READ`,
      );
    }),
  );
}

/** Partitions of deliveries are those of the outputs (N3). True if what was given up may be gone from its topic by compaction. */
async function requireDeliveries(
  notified: NotifiedPipeline | undefined,
  partitions: number,
  admin: KafkaTopicAdmin,
): Promise<boolean> {
  let isCompacted = false;
  if (notified === undefined) return isCompacted;
  const { deliveries, undeliverableTopic, pipeline } = notified;
  for (const finding of await admin.describeTopics([
    deliveries.input.topic,
    deliveries.output.topic,
    undeliverableTopic,
  ]))
    if (finding.kind !== 'present')
      throw new Misconfigured(
        finding.kind === 'missing'
          ? `topic ${finding.topic}, which has deliveries of pipeline ${pipeline.name}, does not exist: run flatline topics create`
          : `topic ${finding.topic}, which has deliveries of pipeline ${pipeline.name}, may not be read by this user: allow it DESCRIBE and READ`,
      );
    else if (finding.partitions !== partitions)
      throw new Misconfigured(
        `topic ${finding.topic} has ${finding.partitions} partitions, and pipeline ${pipeline.name}, whose deliveries it has, ${partitions}; see flatline topics check`,
      );
    else if (finding.topic === undeliverableTopic) isCompacted = finding.cleanupPolicy.includes('compact');
  return isCompacted;
}
