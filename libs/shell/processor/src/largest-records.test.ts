import { describe, expect, test } from '@jest/globals';
import { codecLimits } from '@flatline/records';
import { largestSummaryBytes } from './largest-summary.ts';
import { type LeasePipeline, type PipelineConfig, resolveConfiguration, type SessionPipeline } from '@flatline/config';
import type { TopicDescription } from '@flatline/kafka';
import { applyEvent, largestEntry, openSession, type SessionEntry, type SessionRules } from '@flatline/kinds';
import { blankEvent } from '@flatline/ports/formats';
import fc from 'fast-check';
import { checkLargestRecords } from './check-largest-records.ts';
import { largestRecords } from './pipeline-kinds.ts';

function pipelineOf(settings: object, format: 'json' | 'avro' = 'json'): SessionPipeline {
  return configured(settings, format) as SessionPipeline;
}

function configured(settings: object, format: 'json' | 'avro'): PipelineConfig {
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

/** Characters of every length that UTF-8 and JSON give them. */
const unit = fc.constantFrom('a', '"', '\n', '\u0001', '\u007f', 'é', '\u0800', '\uffff', '\u2028');
const text = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit, minLength: 1, maxLength });
const events = fc.array(
  fc.record({
    type: text(codecLimits.TYPE_LENGTH_MAX),
    eventId: text(codecLimits.EVENT_ID_LENGTH_MAX),
    sequence: fc.constantFrom(0, 1, 2 ** 31, 2 ** 52, Number.MAX_SAFE_INTEGER),
    attributes: fc.array(fc.tuple(text(30), text(200)), { maxLength: 8 }),
  }),
  { maxLength: 60 },
);
const rules = fc.record({
  maxAttributes: fc.constantFrom(0, 1, 5, 20, 400),
  maxAttributeBytes: fc.constantFrom(0, 1, 100, 3_000),
  dedupeEventIds: fc.constantFrom(0, 1, 20),
});

function grown(
  all: SessionRules,
  happened: readonly { readonly attributes: readonly [string, string][] }[],
): SessionEntry {
  const entry = { detail: undefined } as SessionEntry;
  const at = { offset: 2 ** 52, effectiveAt: 8_640_000_000_000_000, timestamp: 8_640_000_000_000_000 };
  openSession(entry, all, at);
  for (const { attributes, ...event } of happened)
    applyEvent(entry, all, { ...blankEvent(), ...event, attributes: new Map(attributes) }, at);
  return entry;
}

describe('[I4] the longest records that the limits of a pipeline allow', () => {
  test('no session that events can make is longer on the output (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(rules, events, fc.constantFrom('json' as const, 'avro' as const), (limits, happened, format) => {
        const pipeline = pipelineOf({ ...limits, maxKeyBytes: 20 }, format);
        const { outputBytes } = largestRecords(pipeline);
        const entry = grown(pipeline.rules, happened);
        for (const byte of [0x41, 0x01, 0xff])
          expect(largestSummaryBytes(format, entry, pipeline.rules, new Uint8Array(20).fill(byte))).toBeLessThanOrEqual(
            outputBytes,
          );
      }),
    );
  });

  test.each(['a', '\u0001', '\uffff', '"'])(
    'a session that events have filled with %j is not longer, and in the worst of cases hardly shorter',
    (character) => {
      const pipeline = pipelineOf({ maxKeyBytes: 20 });
      const named = (i: number, length: number): string => `${character.repeat(length - 4)}${1_000 + i}`;
      const happened = Array.from({ length: 40 }, (_, i) => ({
        type: named(i, codecLimits.TYPE_LENGTH_MAX),
        eventId: named(i, codecLimits.EVENT_ID_LENGTH_MAX),
        sequence: i,
        attributes: [0, 1].map((part): [string, string] => [named(2 * i + part, 28), character.repeat(100)]),
      }));
      const entry = grown(pipeline.rules, happened);
      const { outputBytes } = largestRecords(pipeline);
      const summary = largestSummaryBytes(
        'json',
        entry,
        pipeline.rules,
        Buffer.from(character.repeat(20).slice(0, 20)),
      );
      expect(summary).toBeLessThanOrEqual(outputBytes);
      if (character === '\u0001') expect(summary).toBeGreaterThan(outputBytes * 0.85);
    },
  );

  test('the rules are used up, so that nothing is asked for in vain', () => {
    const { rules: all } = pipelineOf({});
    const limits = { typeLength: codecLimits.TYPE_LENGTH_MAX, eventIdLength: codecLimits.EVENT_ID_LENGTH_MAX };
    const { texts } = largestEntry(all, limits, 'abcdefghij').detail!;
    expect([texts!.eventIdCount, texts!.typeCount, texts!.attributeCount]).toEqual([16, 33, 64]);
    expect(texts!.attributeLength).toBe(all.maxAttributeBytes);
    expect([texts!.countsByType().size, texts!.attributeValues().size]).toEqual([33, 64]);
  });

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
    const leases = (settings: object): LeasePipeline =>
      configured({ kind: 'lease', timeoutMs: 10_000, ...settings }, 'json') as LeasePipeline;
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
