import { describe, expect, test } from '@jest/globals';
import { ByteWriter, MalformedBytes } from '@flatline/base';
import { EntryTable } from '../../entries/entry-table.ts';
import { history, START } from './leases.fixture.ts';
import { bytes, insertKey } from '../../task.fixture.ts';

const { format } = history({}, 0, [0, START]).task.table;
/** Flags, granted at, renewed at, token, timeout, maximum duration, bucket, renewals, next wait. */
const TERMS = [2, 1_000, 1_000, 7, 3_000];

function decode(numbers: readonly number[]): { readonly maxDurationMs: number; readonly bucketMs: number } {
  const out = new ByteWriter();
  for (const number of numbers) out.varint(number);
  const table = new EntryTable(1, format);
  const entry = table.view().at(insertKey(table, bytes('k')));
  const image = out.copy();
  format.decode(image, 0, image.length, entry);
  return entry as unknown as { readonly maxDurationMs: number; readonly bucketMs: number };
}

describe('the head of a lease', () => {
  test('[L6] has its terms where it says so', () => {
    expect(decode([...TERMS, 0, 700, 0, 0])).toMatchObject({ maxDurationMs: 0, bucketMs: 700 });
  });

  test('[F14] says so only where there are some: a head has one form', () => {
    expect(() => decode([...TERMS, 0, 0, 0, 0])).toThrow(MalformedBytes);
  });
});
