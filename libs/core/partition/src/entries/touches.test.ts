import { ByteWriter, MalformedBytes } from '@flatline/base';
import { expect, test } from '@jest/globals';
import { sessionFormat, type SessionWindow } from '@flatline/kinds/session';
import { insertKey } from '../task.fixture.ts';
import { EntryTable } from './entry-table.ts';

const BASE = { clock: 5_000, position: 100 };

function session(): SessionWindow {
  const table = new EntryTable(7, sessionFormat);
  const entry = table.view().at(insertKey(table, Uint8Array.of(1)));
  entry.openedAt = 1_000;
  entry.lastSeenAt = 2_000;
  entry.firstOffset = 50;
  entry.lastOffset = 60;
  entry.eventCount = 3;
  return entry;
}

function touch(...numbers: readonly [count: number, clock: number, position: number]): Uint8Array {
  const [count, ...distances] = numbers;
  const out = new ByteWriter();
  out.varint(count);
  for (const distance of distances) out.signedVarint(distance);
  return out.copy();
}

test.each([
  ['was seen before it was opened', touch(8, 4_001, 10)],
  ['was last read before it was first', touch(8, 10, 51)],
  ['has more events than are counted', touch(2 ** 33, 10, 10)],
])('[R3] a touch after which a session %s is no touch', (_what, bytes) => {
  expect(() => {
    sessionFormat.decodeTouch(bytes, 0, bytes.length, BASE, session());
  }).toThrow(MalformedBytes);
});

test('[R1] a touch at the edges of a session is one', () => {
  const entry = session();
  const bytes = touch(2 * (2 ** 32 - 1), 4_000, 50);
  sessionFormat.decodeTouch(bytes, 0, bytes.length, BASE, entry);
  expect([entry.eventCount, entry.lastSeenAt, entry.lastOffset]).toEqual([2 ** 32 - 1, 1_000, 50]);
});
