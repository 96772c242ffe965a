import { describe, expect, test } from '@jest/globals';
import { ByteReader, ByteWriter } from '@flatline/base';
import type { SessionEvent } from '@flatline/ports/formats';
import fc from 'fast-check';
import { applyEvent, type SessionEntry, type SessionRules, summarize } from './index.ts';
import { decodeNumbers, encodeNumbers, type SessionDetail } from './detail.ts';
import { applyToObjects, encodeObjects, type ObjectEntry } from './object-session.fixture.ts';
import { at, closing, event, listsOf, opened, plainTexts, rules } from './session.fixture.ts';
import { HeapBytes } from '../state-bytes.ts';
import { missingCount } from './sequence-window.ts';
import { blankTexts, SessionTexts } from './texts.ts';

/** Texts of one, two, three and four bytes a character, alike at their beginning, around the lengths where a varint grows. */
const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('', 'a', 'b', 'ab', 'A', 'é', 'ab€', '\u{1f4a1}', '\uffff', '\ufeffx', '__proto__'),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(126, 127, 128, 129, 300).map((length) => 'x'.repeat(length)) },
  { weight: 1, arbitrary: fc.constantFrom(42, 43, 128).map((length) => 'ü€'.repeat(length)) },
);
/** Now and then more names than are searched for one by one. */
const attributes = fc.oneof(
  { weight: 20, arbitrary: fc.array(fc.tuple(text, text), { maxLength: 5 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.tuple(fc.oneof(text, fc.nat(200).map(String)), text), { minLength: 60, maxLength: 150 }),
  },
);
const events: fc.Arbitrary<SessionEvent> = fc
  .record({
    type: fc.oneof(
      fc.constantFrom('HEARTBEAT', 'STARTED', 'OTHER'),
      text,
      fc.nat(40).map((n) => `T${n}`),
    ),
    occurredAt: fc.option(fc.integer({ min: -(2 ** 52), max: 2 ** 52 }), { nil: undefined }),
    eventId: fc.option(text, { nil: undefined }),
    sequence: fc.option(fc.nat(100), { nil: undefined }),
    source: fc.option(fc.oneof(fc.constantFrom('a', 'b', 'ab'), fc.nat(12).map(String)), { nil: undefined }),
    attributes: fc.option(
      attributes.map((entries) => new Map(entries)),
      { nil: undefined },
    ),
  })
  .map(event);
const limits = fc.record({
  dedupeEventIds: fc.constantFrom(0, 1, 3, 130),
  maxSources: fc.constantFrom(0, 1, 2, 8, 64),
  maxAttributes: fc.constantFrom(0, 1, 4, 130),
  maxAttributeBytes: fc.constantFrom(0, 20, 700, 65_536),
});

const bytesOf = (detail: SessionDetail | undefined): Uint8Array | undefined => {
  if (detail === undefined) return undefined;
  const { texts } = detail;
  const out = new ByteWriter(1);
  encodeNumbers(detail, texts !== undefined, out);
  if (texts !== undefined) out.raw(listsOf(texts));
  return out.copy();
};

/** Restores a session as after a restart: its numbers read back, and its texts in the same bytes. */
function restored(entry: SessionEntry): void {
  const { detail } = entry;
  if (detail === undefined) return;
  const { texts } = detail;
  const out = new ByteWriter(1);
  encodeNumbers(detail, texts !== undefined, out);
  const state = texts?.state;
  const bytes = state?.bytes.slice(state.start, state.start + state.length);
  const read = decodeNumbers(new ByteReader(out.copy()));
  expect(read.hasTexts).toBe(bytes !== undefined);
  entry.detail = { ...read.detail, texts: bytes && new SessionTexts(new HeapBytes(bytes)) };
}

function agree(entry: SessionEntry, model: ObjectEntry, using: SessionRules): void {
  expect(bytesOf(entry.detail)).toEqual(model.detail && encodeObjects(model.detail));
  expect(entry.detail?.texts?.attributeLength).toBe(model.detail?.texts?.attributeLength);
  const { countsByType, attributes, truncated, missingCount: missing } = summarize(entry, using, closing);
  const texts = model.detail?.texts;
  const windows = [model.detail?.sequence ?? [], texts?.sources.map(({ window }) => window) ?? []].flat();
  expect(missing).toBe(windows.reduce((sum, each) => sum + missingCount(each), texts?.missingOfForgotten ?? 0));
  const counts = new Map(texts?.countsByType);
  const heartbeats = [...counts.values()].reduce((rest, count) => rest - count, model.eventCount);
  const all = heartbeats > 0 ? [['HEARTBEAT', heartbeats], ...counts] : [...counts];
  expect([...countsByType]).toEqual(all);
  expect([...attributes]).toEqual([...(texts?.attributes ?? [])].map(([name, { value }]) => [name, value]));
  expect(truncated).toBe(texts?.truncated ?? false);
}

describe('the texts of a session', () => {
  // A failure prints { seed, path }: rerun it with fc.assert(property, { seed, path }).
  test('[S5][S10][R1] in bytes are what they would be as objects, event by event and after a restart', () => {
    const history = fc.array(fc.tuple(events, fc.nat(9)), { maxLength: 60 });
    const property = fc.property(history, limits, (happened, changes) => {
      const using = rules(changes);
      const entry = opened(at(1), using);
      const model: ObjectEntry = { ...entry, detail: undefined };
      happened.forEach(([each, dice], i) => {
        const where = at(1_000 + i);
        expect(applyEvent(entry, using, each, where)).toEqual(applyToObjects(model, using, each, where));
        if (dice === 0) restored(entry);
        agree(entry, model, using);
      });
    });
    fc.assert(property, { numRuns: 300 });
  });

  test('lists of more than 127 items are counted in two bytes, there and back', () => {
    const texts = blankTexts();
    for (let i = 0; i < 300; i += 1) {
      texts.addEventId(`id${i}`);
      texts.addAttribute(`name${i}`, 'v', i);
    }
    expect(texts.findAttribute('name7')).toBe(true);
    texts.replaceFound('other', 9);
    for (let i = 0; i < 200; i += 1) texts.dropOldestEventId();
    const { eventIds, attributes } = plainTexts(texts);
    expect(eventIds).toEqual(Array.from({ length: 100 }, (_, i) => `id${200 + i}`));
    expect(attributes).toHaveLength(300);
    expect(attributes[7]).toEqual(['name7', 'other', 9]);
    expect(texts.hasEventId('id200')).toBe(true);
    expect(texts.hasEventId('id199')).toBe(false);
  });

  test('counts of a type grow beyond one byte, and to the greatest', () => {
    const texts = blankTexts();
    texts.addType('A', 127);
    texts.addType('B', 2 ** 32 - 2);
    for (const type of ['A', 'B', 'C']) expect(texts.countType(type)).toBe(type !== 'C');
    expect(plainTexts(texts).types).toEqual([
      ['A', 128],
      ['B', 2 ** 32 - 1],
    ]);
  });
});
