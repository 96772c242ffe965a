// A key's schedules in the changelog, read by the page: docs/FORMATS.md, Changelog.
import { expect, test } from '@jest/globals';
import { bytesOf } from '../../logs/byte-names.ts';
import { NotABlock } from '../../logs/block-reader.ts';
import { schedulesIn } from './schedule-image.ts';

/** Reads a head that is due at 1, and a schedule with these flags and these jitter bytes behind its zone. */
function read(flags: readonly number[], jitter: readonly number[] = []): ReturnType<typeof schedulesIn> {
  const when = [1, 0x40, 3, ...bytesOf('UTC')];
  const schedule = [1, 0x61, 7, 5, 1, 2, 0, ...flags, ...when, ...jitter, 0, 0x76];
  return schedulesIn({ head: Uint8Array.of(1), pages: [Uint8Array.of(schedule.length, ...schedule)] });
}

test('[D3] a schedule paused by a command and a parked one are told apart, with jitter and without', () => {
  const said = ([first]: ReturnType<typeof schedulesIn>['pending']): unknown => {
    const { paused, parked, shift, asked } = first!;
    return [paused, parked, shift, asked.jitter, asked.value];
  };
  expect(said(read([4]).pending)).toEqual([false, false, 0, undefined, 'v']);
  expect(said(read([5]).pending)).toEqual([true, false, 0, undefined, 'v']);
  expect(said(read([0x85, 4]).pending)).toEqual([true, true, 0, undefined, 'v']);
  expect(said(read([0x85, 6], [9, 3]).pending)).toEqual([true, true, 3, 9, 'v']);
  expect(() => read([0x84, 4])).toThrow(NotABlock);
});

test('[D1] a message weighs its bytes there, behind whatever the schedule says', () => {
  const weights = [read([4]), read([0x85, 6], [9, 3])].map(({ pending }) => pending[0]!.asked.messageBytes);
  // No headers, and a value of one byte.
  expect(weights).toEqual([2, 2]);
});
