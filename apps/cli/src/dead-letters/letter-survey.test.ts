import { describe, expect, test } from '@jest/globals';
import type { Letter } from '@flatline/processor/letters';
import { LetterSurvey, placeOf } from './letter-survey.ts';

const letter = (offset: number, reason: string, writtenAt = offset, partition = 0): Letter => ({
  kind: 'letter',
  partition,
  offset,
  writtenAt,
  key: null,
  value: null,
  headers: [],
  origin: { reason, detail: '', topic: 'in', partition, offset: 100 + offset, timestamp: 0 },
});
const places = (letters: readonly Letter[]): string[] => letters.map(placeOf);

describe('a survey of dead letters', () => {
  test('LV1 counts all by reason, the most frequent first, and keeps the newest across partitions', () => {
    const survey = new LetterSurvey({}, 3, 'newest');
    for (let i = 0; i < 50; i += 1) survey.add(letter(i, i % 3 === 0 ? 'null-key' : 'invalid-json'), 0);
    survey.add(letter(7, 'null-key', 48.5, 1), 1);
    expect(survey.byReason).toEqual([
      ['invalid-json', 33],
      ['null-key', 18],
    ]);
    expect(places(survey.listed)).toEqual(['0/48', '1/7', '0/49']);
  });

  test('LV1 from an offset on it keeps the first', () => {
    const survey = new LetterSurvey({ reason: 'a' }, 2, 'first');
    for (let i = 0; i < 9; i += 1) survey.add(letter(i, i % 2 === 0 ? 'a' : 'b'), 0);
    expect(places(survey.listed)).toEqual(['0/0', '0/2']);
    expect(survey.total).toBe(5);
  });

  test('reasons that are not asked for are known, so that a misspelt one can be told', () => {
    const survey = new LetterSurvey({ reason: 'nonsense' }, 2, 'newest');
    for (let i = 0; i < 9; i += 1) survey.add(letter(i, i % 2 === 0 ? 'b' : 'a'), 0);
    expect([survey.total, survey.otherReasons]).toEqual([0, ['a', 'b']]);
  });

  test('LV2 a mark counts for the letter of its own partition', () => {
    const survey = new LetterSurvey({}, 5, 'newest');
    const [first, other] = [letter(3, 'a'), letter(3, 'a', 3, 1)];
    for (const each of [first, other]) survey.add(each, each.partition);
    for (let i = 0; i < 2; i += 1) survey.add({ kind: 'mark', offset: 3 }, 1);
    expect([survey.replaysOf(first), survey.replaysOf(other)]).toEqual([0, 2]);
  });
});
