import { describe, expect, test } from '@jest/globals';
import { type PipelineConfig, resolveConfiguration } from '@flatline/config';
import type { TopicDescription } from '@flatline/kafka';
import { checkLargestRecords } from './check-largest-records.ts';
import { largestRecords } from './largest-records.ts';

function pipelineOf(settings: object, format: 'json' | 'avro' = 'json'): PipelineConfig {
  const pipeline = {
    name: 'visits',
    kind: 'session',
    timeoutMs: 1_000,
    input: { topic: 'in' },
    output: { topic: 'out', format },
    ...settings,
  };
  const file = { application: 'shop', brokers: ['b:1'], schemaRegistryUrl: 'http://r:1', pipelines: [pipeline] };
  return resolveConfiguration(file, { source: 'test', folder: '/', environment: {} }).pipelines[0]!;
}

const KAFKA_DEFAULT = 1_048_588;
const MOST = { maxKeyBytes: 65_535, maxAttributes: 1_024, maxAttributeBytes: 65_536, dedupeEventIds: 1_024 };

function topics(changelogMax: number, outputMax = KAFKA_DEFAULT): ReadonlyMap<string, TopicDescription> {
  const most = { out: outputMax, 'shop.visits.changelog': changelogMax };
  return new Map(
    Object.entries(most).map(([topic, maxMessageBytes]) => [topic, { topic, maxMessageBytes } as TopicDescription]),
  );
}

describe('[I4] the longest records that the limits of a pipeline allow', () => {
  test.each(['json', 'avro'] as const)('by default they fit topics as Kafka makes them, in %s', (format) => {
    expect(() => {
      checkLargestRecords(pipelineOf({}, format), topics(KAFKA_DEFAULT));
    }).not.toThrow();
  });

  test('where they do not, settings, sizes, the topic and its value are named, and what to do', () => {
    const pipeline = pipelineOf(MOST);
    const { changelogBytes } = largestRecords(pipeline);
    expect(() => {
      checkLargestRecords(pipeline, topics(changelogBytes - 1));
    }).toThrow(
      `pipeline visits: with maxKeyBytes 65535, maxAttributes 1024, maxAttributeBytes 65536, dedupeEventIds 1024 a block of the ` +
        `changelog may have ${changelogBytes} bytes, max.message.bytes of shop.visits.changelog is ${changelogBytes - 1}. Lower these settings, ` +
        `or raise max.message.bytes of shop.visits.changelog to ${changelogBytes}`,
    );
    expect(() => {
      checkLargestRecords(pipeline, topics(changelogBytes));
    }).not.toThrow();
  });

  test('of leases: they fit topics as Kafka makes them, else what makes them long is named', () => {
    const leases = (settings: object): PipelineConfig => pipelineOf({ kind: 'lease', timeoutMs: 10_000, ...settings });
    const { outputBytes } = largestRecords(leases({}));
    expect(outputBytes).toBeGreaterThan(2 * 8_192 * 6);
    expect(() => {
      checkLargestRecords(leases({ maxWaiters: 1_024 }), topics(KAFKA_DEFAULT));
    }).not.toThrow();
    expect(() => {
      checkLargestRecords(leases({}), topics(KAFKA_DEFAULT, outputBytes - 1));
    }).toThrow(`with maxKeyBytes 512, maxAttributes 64, maxAttributeBytes 8192 an event may have ${outputBytes} bytes`);
  });
});
