import { describe, expect, test } from '@jest/globals';
import { PartitionStopped, Retriable } from '@flatline/base';
import { matchAnswers, refusalOf } from './produce-request.ts';

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
  appendedAt: -1,
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

describe('a refusal', () => {
  const refused = (errorCode: number, detail: string | null = null): Error =>
    refusalOf(
      { ...answer('out', 0), errorCode, detail },
      { ...batch('out', 0), bytes: new Uint8Array(2_000) },
      'write to out/0',
    );

  test.each([
    [10, 'max.message.bytes'],
    [18, 'segment.bytes'],
  ])('[I4] for its size (%i) stops the partition, and says how large, and what to raise', (code, setting) => {
    const error = refused(code);
    expect(error).toBeInstanceOf(PartitionStopped);
    expect(error.message).toMatch(/^cannot write to out\/0: the broker answered \w+_TOO_LARGE /);
    expect(error.message).toContain(`the batch has 2000 bytes in 1 record; raise ${setting} of the topic above that`);
  });

  test("for anything else says the broker's own words alone", () => {
    expect(refused(87, 'record 0: no key').message).toMatch(/INVALID_RECORD \(87\): record 0: no key$/);
  });
});
