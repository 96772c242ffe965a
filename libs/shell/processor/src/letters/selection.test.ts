import { expect, test } from '@jest/globals';
import { letterLog, refused } from './letter-log.fixture.ts';
import { type LetterPlace, replayMark } from './letter.ts';
import { byPartition, lettersAt, NoSuchPartition, selectLetters } from './selection.ts';

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
  expect(selected).toEqual([0]);
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

test('[X6] letters that go back are read as they are sent, some records at a time', async () => {
  const log = letterLog(['a', 'b', 'c', 'd', 'e', 'f'].map((value) => refused(value)));
  const { selected } = await selectLetters(log, PLACE, [5, 0, 1], inputs);
  log.reads.length = 0;
  const sent: string[] = [];
  for await (const { letter, replay } of lettersAt(log, PLACE, selected))
    sent.push(`${Buffer.from(letter.value!).toString()}${replay} read from ${log.reads.join()}`);
  expect(sent).toEqual(['a1 read from 0', 'b1 read from 0', 'f1 read from 0,5']);
});

function at(partition: number, offset: number): LetterPlace {
  return { partition, offset };
}
