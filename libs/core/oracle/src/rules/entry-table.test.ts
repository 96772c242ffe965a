import { expect, test } from '@jest/globals';
import { nameOf } from '../logs/byte-names.ts';
import { EntryTable } from './entry-table.ts';
import { HeldGaps } from './held-gaps.ts';
import { RULES } from './session/rules.fixture.ts';
import { sessionEntries } from './session/session-reading.ts';
import { newSession } from './session/session-state.ts';

const KEYS = 20_000;
const T = 1_700_000_000_000;
const utf8 = new TextEncoder();

function tableOf(keys: number, isEnded: (key: number) => boolean): EntryTable<unknown, unknown> {
  const table = new EntryTable(sessionEntries(0, RULES), new HeldGaps(RULES));
  for (let offset = 0; offset < keys; offset += 1) {
    const key = utf8.encode(String(offset));
    const entry = table.entryOf(nameOf(key), key);
    const [occurredAt, effectiveAt] = [T + offset, T + offset];
    table.change(entry, () => {
      entry.machine.state = newSession({ offset, effectiveAt, occurredAt, event: undefined }, RULES);
    });
    table.queue(entry);
    if (!isEnded(offset)) continue;
    table.change(entry, () => {
      entry.machine.state = undefined;
    });
    table.forget(entry);
  }
  return table as EntryTable<unknown, unknown>;
}

test('[X6] an entry that ended early does not stay in the order of due instants', () => {
  const table = tableOf(KEYS, () => true);
  expect(table.size).toBe(0);
  expect(table.queued).toBeLessThan(KEYS / 10);
});

test('[X6][V2] live entries are still taken in the order of their due instants once others were forgotten', () => {
  const table = tableOf(KEYS, (key) => key % 16 > 0);
  expect(table.queued).toBeLessThan(KEYS / 4);
  const taken: number[] = [];
  for (let entry = table.takeDue(Infinity); entry !== undefined; entry = table.takeDue(Infinity))
    taken.push(entry.machine.dueAt());
  expect(taken).toEqual(Array.from({ length: KEYS / 16 }, (_, at) => T + 16 * at + RULES.timeoutMs));
});
