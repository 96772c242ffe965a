import { describe, expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { matchAnswers } from './produce-request.ts';

const batch = (topic: string, partition: number): Parameters<typeof matchAnswers>[0][number] => ({
  topic,
  partition,
  bytes: new Uint8Array(0),
  recordCount: 1,
});
const answer = (topic: string, partition: number): Parameters<typeof matchAnswers>[1][number] => ({
  topic,
  partition,
  errorCode: 0,
  baseOffset: partition,
  detail: null,
});
const sent = [batch('a', 1), batch('b', 0)];

describe('matchAnswers', () => {
  test('[kafkajs 1] answers come in the order of the batches, whatever the order of the answer', () => {
    expect(matchAnswers(sent, [answer('b', 0), answer('a', 1)])).toEqual([answer('a', 1), answer('b', 0)]);
  });

  test.each([
    ['leaves one out', [answer('a', 1)]],
    ['names one twice', [answer('a', 1), answer('b', 0), answer('b', 0)]],
    ['names another instead', [answer('a', 1), answer('b', 1)]],
    ['names another besides', [answer('a', 1), answer('b', 0), answer('c', 0)]],
    ['is empty', []],
  ])('[kafkajs 1] an answer that %s leaves the outcome unknown', (_, answers) => {
    expect(() => matchAnswers(sent, answers)).toThrow(Retriable);
  });
});
