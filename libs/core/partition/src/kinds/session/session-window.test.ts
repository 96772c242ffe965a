import { ByteWriter } from '@flatline/base';
import { expect, test } from '@jest/globals';
import {
  applyEvent,
  encodeNumbers,
  openSession,
  type SessionDetail,
  type SessionEntry,
  sessionFormat,
} from '@flatline/kinds/session';
import { blankEvent, type SessionEvent } from '@flatline/ports/formats';
import fc from 'fast-check';
import { findKey, insertKey, options } from '../../task.fixture.ts';
import { EntryTable } from '../../entries/entry-table.ts';

const RULES = { ...options().rules, dedupeEventIds: 2, maxAttributes: 2, maxAttributeBytes: 40 };
const KEYS = 5;

function plainEntry(): SessionEntry {
  const numbers = { openedAt: 0, lastSeenAt: 0, timeoutMs: 0, eventCount: 0, firstOffset: 0, lastOffset: 0 };
  return { ...numbers, timeoutChosen: false, detail: undefined };
}

const events: fc.Arbitrary<SessionEvent> = fc
  .record({
    type: fc.constantFrom('HEARTBEAT', 'STARTED', 'page'),
    occurredAt: fc.option(fc.integer({ min: -(2 ** 45), max: 2 ** 45 }), { nil: undefined }),
    eventId: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
    sequence: fc.option(fc.oneof(fc.nat(200), fc.nat(2 ** 50)), { nil: undefined }),
    attributes: fc.option(fc.constantFrom(new Map([['x', '1']]), new Map<string, string>()), { nil: undefined }),
  })
  .map((changes) => ({ ...blankEvent(), ...changes }));

const steps = fc.array(fc.record({ key: fc.nat(KEYS - 1), remove: fc.boolean(), event: events }), { maxLength: 200 });

function bytesOf(detail: SessionDetail | undefined): Uint8Array | undefined {
  if (detail === undefined) return undefined;
  const { texts } = detail;
  const out = new ByteWriter();
  encodeNumbers(detail, texts !== undefined, out);
  if (texts !== undefined) out.raw(texts.state.bytes, texts.state.start, texts.state.length);
  return out.copy();
}

// A failure prints { seed, path }: rerun it with fc.assert(property, { seed, path }).
test('a detail in a row is what it would be as an object, whoever had the row before', () => {
  const property = fc.property(steps, (taken) => {
    const table = new EntryTable(1, sessionFormat);
    const view = table.view();
    const plain = new Map<number, SessionEntry>();
    taken.forEach(({ key, remove, event }, offset) => {
      const bytes = Uint8Array.of(key);
      const at = { offset, effectiveAt: 1_000 + offset, timestamp: 1_000 + offset };
      const found = findKey(table, bytes);
      const slot = found < 0 ? insertKey(table, bytes) : found;
      const entry = plain.get(slot) ?? plainEntry();
      plain.set(slot, entry);
      if (found < 0) for (const opened of [entry, view.at(slot)]) openSession(opened, RULES, at);
      expect(applyEvent(view.at(slot), RULES, event, at)).toEqual(applyEvent(entry, RULES, event, at));
      if (remove && offset % 7 === 0) {
        table.remove(slot);
        plain.delete(slot);
        table.recycle();
      }
      for (const [other, { detail }] of plain) expect(bytesOf(view.at(other).detail)).toEqual(bytesOf(detail));
    });
  });
  fc.assert(property, { numRuns: 100 });
});
