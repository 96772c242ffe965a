import { expect, test } from '@jest/globals';
import { letterLog, refused } from './letter-log.fixture.ts';
import { type LetterPlace, replayMark } from './letter.ts';
import { byPartition, NoSuchPartition, selectLetters } from './selection.ts';

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

test('[I1] places are taken by partition, and one in none is named', () => {
  const topic = { topic: 'dead', partitions: 8 };
  const places = [at(7, 1), at(0, 5), at(7, 0)];
  expect([...byPartition(places, topic)]).toEqual([
    [7, [1, 0]],
    [0, [5]],
  ]);
  expect(() => byPartition([...places, at(8, 3)], topic)).toThrow(
    new NoSuchPartition('dead has no partition 8: they are 0 to 7'),
  );
});

function at(partition: number, offset: number): LetterPlace {
  return { partition, offset };
}
