import { expect, test } from '@jest/globals';
import { letterLog, refused } from './letter-log.fixture.ts';
import { replayMark } from './letter.ts';
import { selectLetters } from './selection.ts';

const PLACE = { topic: 'dead', partition: 0 };
const inputs = new Map([['in', {}]]);

test('[I1] a letter that came from no input of the pipeline stays, as what was replayed, is cut or is none', async () => {
  const log = letterLog([
    refused('whole'),
    refused('foreign', { topic: 'elsewhere' }),
    refused('cut', { truncated: { valueBytes: 9 } }),
    refused('replayed'),
    replayMark({ offset: 3 }, 1),
  ]);
  const { selected, left } = await selectLetters(log, PLACE, [4, 3, 2, 1, 0], inputs);
  expect(selected.map(({ letter }) => letter.offset)).toEqual([0]);
  expect(left).toEqual([
    { partition: 0, offset: 1, why: 'it came from elsewhere, the input is in' },
    { partition: 0, offset: 2, why: 'it does not hold its whole record: have its producer send it again' },
    { partition: 0, offset: 3, why: 'it was replayed before' },
    { partition: 0, offset: 4, why: 'there is no letter' },
  ]);
});
