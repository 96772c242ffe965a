import { describe, expect, test } from '@jest/globals';
import { letterLog, refused } from './letter-log.fixture.ts';
import { replayMark } from './letter.ts';
import { scanLetters } from './letter-scan.ts';
import { listedLetter } from './listed-letter.ts';

const PLACE = { topic: 'dead', partition: 0 };

describe('a list of letters', () => {
  test('[X6] holds as many as are asked for, the last ones, and nothing of their records that is not shown', async () => {
    const detail = 'd'.repeat(5_000);
    const key = new Uint8Array(5_000).fill(0x61);
    const log = letterLog([
      refused('first'),
      refused('second'),
      refused('a third', { detail }, key),
      replayMark({ offset: 0 }, 1),
      refused('4'),
      replayMark({ offset: 2 }, 1),
    ]);
    const found = await scanLetters(log, PLACE, { from: (start) => start, keep: listedLetter, most: 2 });
    expect(found.map(({ offset, replays, valueBytes }) => [offset, replays, valueBytes])).toEqual([
      [2, 1, 7],
      [4, 0, 1],
    ]);
    const [{ key: shown, keyBytes, detail: said }] = found as [(typeof found)[0]];
    expect([shown?.length, shown?.buffer.byteLength, keyBytes]).toEqual([1_024, 1_024, 5_000]);
    expect([said.length, said.at(-1), found[1]!.keyBytes]).toEqual([1_024, '…', undefined]);
    expect(JSON.stringify(found)).not.toContain('third');
  });
});
