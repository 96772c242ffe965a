// The adapters of one pipeline: everything of Kafka, LMDB and the registry that its tasks see, and its way out.
//
// Owns: connections, readers and the state directory of the pipeline.
// Does not own: when they are used (runtime).
import type { Clock, ReusedMemory } from '@flatline/base';
import type { FlatlineConfig, PipelineConfig } from '@flatline/config';
import {
  batchMemory,
  type Compression,
  KafkaLogAdmin,
  KafkaLogReader,
  KafkaMembership,
  type KafkaOptions,
  KafkaProofWriter,
  KafkaTransactionalWriters,
  openCluster,
  ReaderBuffers,
} from '@flatline/kafka';
import { kindOf } from '@flatline/kind-modules';
import type { ReducerWatch } from '@flatline/kinds/reducing';
import type { LocalCheckpoint, LocalStore } from '@flatline/ports';
import { HttpSchemaRegistry } from '@flatline/records';
import type { PipelinePorts, RuntimeLog } from '@flatline/runtime';
import { LmdbStores } from '@flatline/store';
import { systemEntropy } from './entropy.ts';
import { singleTurns } from './single-turns.ts';

/** Shared by all tasks of all pipelines: there is one event loop. */
const processTurns = singleTurns(setImmediate);

/** Connections that tasks commit over: one would make each wait for the others' acknowledgements. */
const WRITER_CONNECTIONS = 2;

/** Memory that the pipelines of a process share (X6). */
export interface SharedBuffers {
  readonly input: ReaderBuffers;
  readonly changelog: ReaderBuffers;
  readonly batches: ReusedMemory;
}

export function sharedBuffers(): SharedBuffers {
  return { input: new ReaderBuffers(), changelog: new ReaderBuffers(), batches: batchMemory() };
}

/** Counts a sibling worker's store one offset lower: it is at hand here as well, but between equals the partition stays. */
function ownFirst(found: readonly LocalStore[]): readonly LocalCheckpoint[] {
  return found.map(({ partition, changelogPosition, isSiblings = false }) => ({
    partition,
    changelogPosition: isSiblings ? Math.max(0, changelogPosition - 1) : changelogPosition,
  }));
}

export interface PipelineAdapters {
  readonly ports: PipelinePorts;
  close(): Promise<void>;
}

export interface AdapterParts {
  readonly config: FlatlineConfig;
  readonly pipeline: PipelineConfig;
  readonly kafka: KafkaOptions;
  readonly buffers: SharedBuffers;
  readonly clock: Clock;
  readonly log: RuntimeLog;
  /** Where other instances' readers find this one; empty: it is not known. */
  readonly endpoint: string;
  /** Watches functions of the application that are called for records of a topic. */
  readonly watch: (topic: string) => ReducerWatch;
  /** Number of this process among the workers that share the state directory; undefined: it is the only one. */
  readonly worker?: number | undefined;
}

/** @throws Fatal where another process uses the state directory; Retriable where the registry does not answer. */
export async function openPipelineAdapters(parts: AdapterParts): Promise<PipelineAdapters> {
  const { config, pipeline, kafka, buffers, clock, log, worker, endpoint, watch } = parts;
  const { stateDir, application, schemaRegistry } = config;
  const registry = schemaRegistry && new HttpSchemaRegistry({ ...schemaRegistry, clock });
  const kind = await kindOf(pipeline).open({ pipeline, registry, clock, watch });
  const stores = LmdbStores.open({ stateDir, application, pipeline: pipeline.name, worker });
  const writing = Array.from({ length: WRITER_CONNECTIONS }, () => openCluster(kafka));
  const asking = openCluster(kafka);
  // Bytes kept of a record are copied (deadLetter, EntryTable, ChangelogTail).
  const input = new KafkaLogReader({ ...kafka, reusesAnswers: true, passesUnreadable: true, buffers: buffers.input });
  const changelog = new KafkaLogReader({ ...kafka, reusesAnswers: true, buffers: buffers.changelog });
  const { sessionTimeoutMs, heartbeatIntervalMs, transactionTimeoutMs } = config.kafka;
  const membership = new KafkaMembership({
    clock,
    connection: openCluster(kafka),
    group: pipeline.group,
    topics: [pipeline.input.topic],
    localCheckpoints: () =>
      stores.localCheckpoints().then(ownFirst, (error: unknown) => {
        log.error('local stores not looked at; the assigner is told of none', { pipeline: pipeline.name, error });
        return [];
      }),
    name: config.instance,
    endpoint,
    instanceId: config.instanceId,
    standbys: pipeline.standbys,
    rack: config.rack,
    heartbeatIntervalMs,
    sessionTimeoutMs,
  });
  const { output } = pipeline;
  // Blocks hold keys, which hardly pack, and dead letters are few.
  const packed = [output.topic, ...pipeline.targets, ...(pipeline.routes ?? []).map(({ to }) => to)];
  const compressionOf = (topic: string): Compression => (packed.includes(topic) ? output.compression : 'none');
  const ports: PipelinePorts = {
    clock,
    input,
    changelog,
    writers: new KafkaTransactionalWriters({
      clock,
      connections: writing,
      transactionTimeoutMs,
      compressionOf,
      memory: buffers.batches,
    }),
    proofs: new KafkaProofWriter({ clock, connection: asking }),
    admin: new KafkaLogAdmin({ clock, connection: asking }),
    stores,
    membership,
    kind,
    entropy: systemEntropy,
    turns: processTurns,
    log,
  };
  const close = async (): Promise<void> => {
    await Promise.all([input.close(), changelog.close()]);
    for (const connection of [...writing, asking]) connection.close();
    await stores.close().catch((error: unknown) => {
      log.error('state directory not closed cleanly', { pipeline: pipeline.name, error });
    });
  };
  return { ports, close };
}
