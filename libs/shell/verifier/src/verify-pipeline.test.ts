import { describe, expect, test } from '@jest/globals';
import { Fatal, Retriable, StateInUse } from '@flatline/base';
import { type PipelineConfig, resolveConfiguration } from '@flatline/config';
import {
  BatchProducer,
  KafkaConnection,
  KafkaLogAdmin,
  type KafkaOptions,
  KafkaTopicAdmin,
  KafkaTransactionalWriters,
  openCluster,
} from '@flatline/kafka';
import type { SchemaRegistry } from '@flatline/records';
import { systemClock } from '@flatline/system';
import { LmdbStores } from '@flatline/store';
import type { InputTruth, VerificationReport } from '@flatline/oracle';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Since } from './pipeline-histories.ts';
import { verifyPipeline } from './verify-pipeline.ts';

const brokers = (process.env['KAFKA_BROKERS'] ?? '').split(',');
const kafka: KafkaOptions = { brokers, clientId: 'verifier-tests', clock: systemClock };

function newPipeline(): PipelineConfig {
  const application = `verify-${randomUUID()}`;
  const file = {
    application,
    brokers,
    pipelines: [
      {
        name: 'visits',
        kind: 'session',
        timeoutMs: 1_000,
        input: { topic: `${application}-in` },
        output: { topic: `${application}-out` },
      },
    ],
  };
  return resolveConfiguration(file, { source: 'test', folder: '/', environment: {} }).pipelines[0]!;
}

async function create(topics: Readonly<Record<string, number>>, settings: Record<string, string> = {}): Promise<void> {
  const connection = openCluster(kafka);
  try {
    await new KafkaTopicAdmin({ clock: systemClock, connection }).createTopics(
      Object.entries(topics).map(([topic, partitions]) => ({
        topic,
        partitions,
        replicationFactor: 1,
        settings,
      })),
    );
  } finally {
    connection.close();
  }
}

function foldersOfCopies(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('flatline-verify-'));
}

/** Copies of a topic's partitions that have a name. */
function copiesOf(topic: string): string[] {
  return foldersOfCopies()
    .flatMap((name) => namesIn(join(tmpdir(), name)))
    .filter((name) => name.includes(topic));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    // Another run, whose it was, has ended.
    return [];
  }
}

/** A connection on which no transaction ends: its process died first. */
class DyingConnection extends KafkaConnection {
  override send: KafkaConnection['send'] = (nodeId, request, decode, options) => {
    if (request.apiName === 'EndTxn') return Promise.reject(new Retriable('died'));
    return super.send(nodeId, request, decode, options);
  };
}

describe('verifyPipeline', () => {
  test('[R3] a topic that is missing, or has another partition count, is no empty log', async () => {
    const pipeline = newPipeline();
    await create({ [pipeline.input.topic]: 2, [pipeline.output.topic]: 2, [pipeline.deadLetterTopic]: 2 });
    await expect(verifyPipeline({ kafka, pipeline })).rejects.toThrow(
      `topic ${pipeline.changelogTopic} of pipeline visits does not exist: if it has never been there, run flatline topics create; if it was lost, restore it, or give its state up (flatline reset`,
    );
    await create({ [pipeline.changelogTopic]: 3 });
    await expect(verifyPipeline({ kafka, pipeline })).rejects.toThrow(Fatal);
    await expect(verifyPipeline({ kafka, pipeline })).rejects.toThrow('different partition counts');
  });

  test('[V8] local stores that are not there, or in use, cannot be compared; looking leaves them as they are', async () => {
    const pipeline = newPipeline();
    const { input, output, changelogTopic, deadLetterTopic } = pipeline;
    await create({ [input.topic]: 1, [output.topic]: 1, [changelogTopic]: 1, [deadLetterTopic]: 1 });
    const stateDir = mkdtempSync(join(tmpdir(), 'flatline-verifier-'));
    const place = { stateDir, application: 'shop' };
    const look = (): Promise<VerificationReport> => verifyPipeline({ kafka, pipeline, localStores: place });
    await expect(look()).rejects.toThrow('there are no local stores in');
    const stores = LmdbStores.open({ ...place, pipeline: pipeline.name });
    const { store } = await stores.open(0);
    const checkpoint = { logId: 'log', changelogPosition: 7, commitHeader: Buffer.of(1), liveEntries: 0, digest: 0 };
    store.write({ puts: [], removals: [] }, checkpoint);
    await expect(look()).rejects.toThrow(StateInUse);
    await stores.close();
    // There is no commit that the store could be compared with.
    expect(await look()).toMatchObject({ violations: [], undecided: [] });
    const again = LmdbStores.open({ ...place, pipeline: pipeline.name });
    expect(await again.localCheckpoints()).toMatchObject([{ partition: 0, changelogPosition: 7 }]);
    await again.close();
    rmSync(stateDir, { recursive: true });
  });

  test('[I1][V2] what the maker of an input knows of its records decides which are bad, read or unread', async () => {
    const pipeline = newPipeline();
    const { input, output, changelogTopic, deadLetterTopic } = pipeline;
    const topics = { [input.topic]: 1, [output.topic]: 1, [changelogTopic]: 1, [deadLetterTopic]: 1 };
    await create(topics, { 'message.timestamp.type': 'LogAppendTime' });
    const connection = openCluster(kafka);
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic: input.topic });
    await producer.send(['sound', 'refused'].map((key) => ({ key: Buffer.from(key), value: new Uint8Array() })));
    await producer.close();
    connection.close();
    const refusalOf: InputTruth['refusalOf'] = ({ key }) =>
      Buffer.from(key ?? '').toString() === 'refused' ? 'content' : undefined;
    const told = await verifyPipeline({ kafka, pipeline, complete: true, truth: { refusalOf, presentDecides: false } });
    expect(told).toMatchObject({ violations: [{ rule: 'V2' }], incarnations: 1, reach: { badRecords: 1 } });
    const believing = await verifyPipeline({ kafka, pipeline, complete: true });
    expect(believing).toMatchObject({ violations: [{ rule: 'V2' }], incarnations: 2, reach: { badRecords: 0 } });
  });

  test('what is truncated and written while it reads changes nothing: all ends are chosen, changelogs copied, before', async () => {
    const pipeline = newPipeline();
    const { input, output, changelogTopic, deadLetterTopic } = pipeline;
    await create({ [input.topic]: 2, [output.topic]: 2, [changelogTopic]: 2, [deadLetterTopic]: 2 });
    const connection = openCluster(kafka);
    const writers = new KafkaTransactionalWriters({ clock: systemClock, connections: [connection] });
    const write = async (topic: string, partition: number, value: Uint8Array): Promise<void> => {
      const writes = [{ topic, partition, records: [{ key: Buffer.from('k'), value }] }];
      for (let isThere = false; !isThere;) {
        const writer = await writers.open(randomUUID());
        isThere = await writer.commit({ writes, offsets: [] }).then(
          () => true,
          (error: unknown) => {
            // A topic that was just created may have no leader yet.
            if (error instanceof Retriable) return false;
            throw error;
          },
        );
        await writer.close();
      }
    };
    // By a schema that is asked for when the record is read, which is while partition 0 is judged.
    await write(input.topic, 0, Uint8Array.of(0, 0, 0, 0, 7, 1));
    await write(input.topic, 1, Buffer.from('{}'));
    await write(changelogTopic, 1, Buffer.from('no block'));
    let meanwhile = 0;
    const named: string[] = [];
    const registry = {
      schemaById: async () => {
        meanwhile += 1;
        named.push(...copiesOf(changelogTopic));
        await write(input.topic, 1, Buffer.from('{}'));
        await new KafkaLogAdmin({ clock: systemClock, connection }).truncate(
          { topic: changelogTopic, partition: 1 },
          2,
        );
        return undefined;
      },
    } as unknown as SchemaRegistry;
    const report = await verifyPipeline({ kafka, pipeline, registry });
    connection.close();
    expect(meanwhile).toBe(1);
    // A process that is killed leaves none behind, but on Windows.
    if (process.platform !== 'win32') expect(named).toEqual([]);
    expect(report.records.input).toBe(2);
    expect(report.violations).toMatchObject([{ rule: 'K9', topic: changelogTopic, partition: 1, offset: 0 }]);
  });

  test('ends where it is interrupted, and takes its copies along; until then it tells how many bytes it has copied', async () => {
    const pipeline = newPipeline();
    const { input, output, changelogTopic, deadLetterTopic } = pipeline;
    await create({ [input.topic]: 2, [output.topic]: 2, [changelogTopic]: 2, [deadLetterTopic]: 2 });
    const connection = openCluster(kafka);
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic: changelogTopic });
    await producer.send([{ key: Buffer.from('k'), value: new Uint8Array(1_000) }]);
    await producer.close();
    connection.close();
    const before = foldersOfCopies();
    const copied: number[] = [];
    const stop = new AbortController();
    const interrupted = verifyPipeline({
      kafka,
      pipeline,
      signal: stop.signal,
      onCopied: (bytes) => {
        copied.push(bytes);
        stop.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ name: 'AbortError' });
    expect(copied).toHaveLength(1);
    expect(copied[0]).toBeGreaterThan(1_000);
    expect(foldersOfCopies().filter((name) => !before.includes(name))).toEqual([]);
    // Nothing was begun.
    await expect(verifyPipeline({ kafka, pipeline, signal: stop.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  test('[V4] judged since an offset, or a time: the logs before are not read, and that is said', async () => {
    const pipeline = newPipeline();
    const { input, output, changelogTopic, deadLetterTopic } = pipeline;
    const topics = { [input.topic]: 1, [output.topic]: 1, [changelogTopic]: 1, [deadLetterTopic]: 1 };
    await create(topics, { 'message.timestamp.type': 'LogAppendTime' });
    const connection = openCluster(kafka);
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic: input.topic });
    for (const key of ['a', 'b', 'c']) await producer.send([{ key: Buffer.from(key), value: new Uint8Array() }]);
    await producer.close();
    connection.close();
    const read = async (since: Since): Promise<number> =>
      (await verifyPipeline({ kafka, pipeline, since })).records.input;
    expect(await read({ offset: 1 })).toBe(2);
    expect(await read({ offset: 99 })).toBe(0);
    expect(await read({ timestamp: 0 })).toBe(3);
    expect(await read({ timestamp: 8e15 })).toBe(0);
  });

  test('[V6] a hanging transaction is reported with its producer and first offset; empty logs are fine', async () => {
    const pipeline = newPipeline();
    const { topic } = pipeline.output;
    await create({
      [pipeline.input.topic]: 1,
      [topic]: 1,
      [pipeline.changelogTopic]: 1,
      [pipeline.deadLetterTopic]: 1,
    });
    const options = { kafka, pipeline, transactionMs: 300 };
    expect(await verifyPipeline(options)).toMatchObject({ violations: [], undecided: [], commits: 0 });
    const connection = new DyingConnection(kafka);
    const writers = new KafkaTransactionalWriters({ clock: systemClock, connections: [connection] });
    const writer = await writers.open(randomUUID());
    const writes = [{ topic, partition: 0, records: [{ key: Buffer.from('k'), value: null }] }];
    await expect(writer.commit({ writes, offsets: [] })).rejects.toThrow(Retriable);
    connection.close();
    const { violations } = await verifyPipeline(options);
    expect(violations).toEqual([
      { rule: 'V6', topic, partition: 0, offset: 0, key: undefined, what: expect.stringContaining('hangs') },
    ]);
  });
});
