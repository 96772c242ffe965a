// The logs of a pipeline's partitions, one after another, for the oracle.
//
// Owns: where each log is cut, copies of the changelogs.
// Does not own: what the logs say, and whether it is right.
import { type DurationMs, type Millis, PartitionStopped } from '@flatline/base';
import type { NotifiedPipeline, PipelineConfig } from '@flatline/config';
import { type KafkaConnection, KafkaLogAdmin } from '@flatline/kafka';
import { inputTopicsOf, kindOf, type RecordReader } from '@flatline/kind-modules';
import { type InputTruth, type LogSource, type PartitionHistory, settingsIn, topicsRoutedTo } from '@flatline/oracle';
import type { TopicPartition } from '@flatline/ports';
import type { SchemaRegistry } from '@flatline/records';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cutInput, cutLog, type Cutting, type LogCut, pause, sourceOf } from './log-cut.ts';
import { LogSpool, type Spooling } from './log-spool.ts';
import { cutDeliveries, type DeliveryCuts, deliveriesOf } from './delivery-histories.ts';
import { letters, logRecords, routedRecords } from './record-readers.ts';
import type { StoreCopy } from './store-copy.ts';

/** A task looks at what is due, and commits, many times within this. */
const QUIET_MS: DurationMs = 3_000;

/** An offset of each partition of the input, or its first record stamped at or past an instant. */
export type Since = { readonly offset: number } | { readonly timestamp: Millis };

export interface HistorySources {
  readonly connection: KafkaConnection;
  readonly cutting: Cutting & Spooling;
  readonly registry: SchemaRegistry | undefined;
  readonly truth: InputTruth | undefined;
  readonly complete: boolean;
  readonly stores: StoreCopy | undefined;
  readonly since: Since | undefined;
  /** The topics to which its routes lead, and of these former ones those that there are (P3). */
  readonly routedTo: (former: ReadonlySet<string>) => Promise<ReadonlyMap<string, RoutedTopic>>;
  /** undefined: its outputs are sent to no webhook, or that is not judged. */
  readonly notified: NotifiedPipeline | undefined;
  readonly isUndeliverableCompacted: boolean;
}

export interface RoutedTopic {
  readonly partitions: number;
  readonly isCompacted: boolean;
}

/** The logs of one partition, each up to an end that was chosen before any partition was judged. */
interface PartitionCuts {
  readonly partition: number;
  readonly decidedBelow: number;
  readonly changelog: LogSpool;
  readonly settings: NonNullable<PartitionHistory['settings']>;
  readonly cuts: Readonly<Record<'changelog' | 'output' | 'deadLetters', LogCut>>;
  /** The statistics (S12), and where they ended before the changelog was cut. */
  readonly stats: { readonly cut: LogCut; readonly decidedBelow: number } | undefined;
  readonly deliveries: DeliveryCuts | undefined;
  /** With where judging begins, if not at the log's start. */
  readonly inputs: readonly (LogCut & { readonly since: number | undefined })[];
}

/** A log that is truncated faster than it is copied, is no log that a task writes. */
const SPOOL_TRIES_MAX = 5;

/**
 * All ends are chosen first: what comes while others are judged, however long that takes, is for the next time. And the changelogs
 * are copied, before their tasks truncate them below what is judged.
 */
export async function* histories(
  pipeline: PipelineConfig,
  partitions: number,
  sources: HistorySources,
): AsyncGenerator<PartitionHistory> {
  const folder = await mkdtemp(join(tmpdir(), 'flatline-verify-'));
  const all: PartitionCuts[] = [];
  try {
    for (let partition = 0; partition < partitions; partition += 1)
      all.push(await cutPartition(pipeline, partition, folder, sources));
    const routedTo = await sources.routedTo(topicsRoutedTo(all.flatMap(({ settings }) => settings)));
    const routed = await cutRouted(routedTo, sources);
    for (const cuts of all) {
      yield { ...(await historyOf(pipeline, cuts, sources)), ...routedOf(pipeline, routed, sources) };
      await cuts.changelog.close();
    }
  } finally {
    for (const { changelog } of all) await changelog.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function cutPartition(
  pipeline: PipelineConfig,
  partition: number,
  folder: string,
  { cutting, since, connection, notified }: HistorySources,
): Promise<PartitionCuts> {
  const { clock } = cutting;
  const at = (topic: string): TopicPartition => ({ topic, partition });
  // In this order the changelog has every commit whose closes lie below the first cut of the output, and the input
  // every record that a commit names.
  const { end: decidedBelow } = await cutLog(at(pipeline.output.topic), cutting);
  const statsTopic = statsTopicIn(pipeline);
  const statsBefore = statsTopic === undefined ? undefined : await cutLog(at(statsTopic), cutting);
  const { changelogCut, changelog } = await spoolOf(at(pipeline.changelogTopic), folder, cutting);
  const output = await cutLog(at(pipeline.output.topic), cutting);
  const deadLetters = await cutLog(at(pipeline.deadLetterTopic), cutting);
  const stats = statsBefore && { cut: await cutLog(statsBefore.partition, cutting), decidedBelow: statsBefore.end };
  const admin = new KafkaLogAdmin({ clock, connection });
  const deliveries = notified && (await cutDeliveries(notified, partition, { cutting, admin }));
  const inputs: (LogCut & { readonly since: number | undefined })[] = [];
  for (const topic of inputTopicsOf(pipeline)) {
    const input = await cutInput(at(topic), cutting);
    const from = since && ('offset' in since ? since.offset : await admin.offsetAt(input.partition, since.timestamp));
    const begin = since && Math.min(input.end, from ?? input.end);
    inputs.push({ ...input, since: begin !== undefined && begin > input.logStart ? begin : undefined });
  }
  return {
    partition,
    decidedBelow,
    changelog,
    settings: await settingsIn(changelog.source(logRecords)),
    cuts: { changelog: changelogCut, output, deadLetters },
    stats,
    deliveries,
    inputs,
  };
}

interface RoutedCuts extends RoutedTopic {
  readonly cuts: readonly LogCut[];
}

/** After the outputs that brought them about. By topic. */
async function cutRouted(
  routedTo: ReadonlyMap<string, RoutedTopic>,
  { cutting }: HistorySources,
): Promise<ReadonlyMap<string, RoutedCuts>> {
  const cut = new Map<string, RoutedCuts>();
  for (const [topic, said] of routedTo) {
    const partitions = Array.from({ length: said.partitions }, (_, partition) => ({ topic, partition }));
    cut.set(topic, { ...said, cuts: await Promise.all(partitions.map((partition) => cutLog(partition, cutting))) });
  }
  return cut;
}

/** Read once more for each partition of the pipeline: what that one has routed lies in all of them. */
function routedOf(
  { group }: PipelineConfig,
  routed: ReadonlyMap<string, RoutedCuts>,
  { cutting: { scan } }: HistorySources,
): Pick<PartitionHistory, 'routed'> {
  if (routed.size === 0) return {};
  const topics = [...routed].map(([topic, { cuts }]) => {
    const sources = cuts.map((cut) =>
      sourceOf(cut, (position) => scan.readBytes(cut.partition, position), routedRecords, true),
    );
    return [topic, sources] as const;
  });
  const compacted = new Set([...routed.keys()].filter((topic) => routed.get(topic)!.isCompacted));
  return { routed: { group, topics: new Map(topics), compacted } };
}

/** The topic of the pipeline's statistics (S12); undefined: it has none. */
function statsTopicIn(pipeline: PipelineConfig): string | undefined {
  return kindOf(pipeline).targetUse === 'statistics' ? pipeline.targets[0] : undefined;
}

async function spoolOf(
  partition: TopicPartition,
  folder: string,
  cutting: Cutting & Spooling,
): Promise<{ readonly changelogCut: LogCut; readonly changelog: LogSpool }> {
  for (let tries = 1; ; tries += 1) {
    const changelogCut = await cutLog(partition, cutting);
    const within = await mkdtemp(join(folder, 'log-'));
    try {
      return { changelogCut, changelog: await LogSpool.make(changelogCut, within, cutting) };
    } catch (error) {
      await rm(within, { recursive: true, force: true });
      const isTruncated = (await cutting.scan.bounds(partition)).logStartOffset > changelogCut.logStart;
      if (!(error instanceof PartitionStopped) || !isTruncated || tries === SPOOL_TRIES_MAX) throw error;
    }
  }
}

async function historyOf(
  pipeline: PipelineConfig,
  { partition, decidedBelow, changelog, settings, cuts, stats, deliveries, inputs }: PartitionCuts,
  { cutting, registry, truth, complete, stores, notified, isUndeliverableCompacted }: HistorySources,
): Promise<PartitionHistory> {
  const { readers } = await kindOf(pipeline).judging();
  const {
    input: readInput,
    furtherInputs: readFurther = [],
    output: readOutput,
  } = readers(pipeline, registry, settings);
  const { scan } = cutting;
  const { output, deadLetters } = cuts;
  const fetched = <R>(cut: LogCut, reader: RecordReader<R>, isInput = false): LogSource<R> =>
    sourceOf(cut, (position) => scan.readBytes(cut.partition, position), reader, isInput);
  // As the processor reads them: what cannot be unpacked is a dead letter (I1).
  const [first, ...further] = inputs.map((input, number) => {
    const reader = number === 0 ? readInput : readFurther[number - 1]!;
    return {
      log: fetched({ ...input, logStart: input.since ?? input.logStart }, reader, true),
      logStart: input.logStart,
    };
  });
  return {
    partition,
    truth,
    input: first!.log,
    inputLogStart: first!.logStart,
    ...(further.length > 0 && { furtherInputs: further }),
    changelog: changelog.source(logRecords),
    settings,
    output: fetched(output, readOutput),
    deadLetters: fetched(deadLetters, letters),
    // Read as the output is: values with named fields.
    stats: stats && { log: fetched(stats.cut, readOutput), decidedBelow: stats.decidedBelow },
    deliveries: notified && deliveries && deliveriesOf(notified, deliveries, { ...cutting, isUndeliverableCompacted }),
    outputDecidedBelow: decidedBelow,
    store: await stores?.of(partition),
    isComplete: complete,
    whyUndone: complete
      ? () => Promise.resolve(undefined)
      : () => whyUndone(pipeline.group, [...inputs, cuts.changelog, output], cutting),
  };
}

async function whyUndone(
  group: string,
  cuts: readonly LogCut[],
  { scan, clock, signal }: Cutting,
): Promise<string | undefined> {
  if (!(await scan.hasMembers(group))) return 'no processor runs that would do it';
  await pause(clock, QUIET_MS, signal);
  const bounds = await Promise.all(cuts.map(({ partition }) => scan.bounds(partition)));
  return cuts.every(({ end }, index) => bounds[index]!.lastStableOffset === end) ? undefined : 'work goes on';
}
