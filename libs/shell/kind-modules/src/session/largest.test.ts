import { describe, expect, test } from '@jest/globals';
import { applyEvent, largestEntry, openSession, type SessionEntry, type SessionRules } from '@flatline/kinds/session';
import { blankEvent } from '@flatline/ports/formats';
import { codecLimits } from '@flatline/records';
import fc from 'fast-check';
import { largestSessionOutput, largestSummaryBytes } from './largest.ts';
import { sessionPart, type SessionPipeline, sessionSection } from './settings.ts';

function pipelineOf(settings: object, format: 'json' | 'avro' = 'json'): SessionPipeline {
  const section = sessionSection.parse({
    name: 'visits',
    kind: 'session',
    timeoutMs: 1_000,
    input: { topic: 'in' },
    output: { topic: 'out', format },
    ...settings,
  });
  const { output, maxKeyBytes } = section;
  return { ...sessionPart(section, { reducers: {} }), input: { maxKeyBytes }, output } as SessionPipeline;
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
        const { outputBytes } = largestSessionOutput(pipeline);
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
      const { outputBytes } = largestSessionOutput(pipeline);
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
});
