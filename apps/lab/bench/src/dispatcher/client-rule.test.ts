import { expect, test } from '@jest/globals';
import { TRIES_MAX, untilAnswered } from './client-rule.ts';

const answeredAt = (time: number) => {
  const sent: number[] = [];
  const send = (tries: number): Promise<string | undefined> => {
    sent.push(tries);
    return Promise.resolve(tries === time ? 'heard' : undefined);
  };
  return { sent, answer: untilAnswered(send) };
};

test('a message without an answer is sent again until one comes', async () => {
  const { sent, answer } = answeredAt(3);
  expect(await answer).toBe('heard');
  expect(sent).toEqual([1, 2, 3]);
});

test('ten times without an answer is a reset, and the tenth answer is none yet', async () => {
  expect(await answeredAt(TRIES_MAX).answer).toBe('heard');
  const { sent, answer } = answeredAt(TRIES_MAX + 1);
  expect(await answer).toBeUndefined();
  expect(sent).toHaveLength(10);
});
