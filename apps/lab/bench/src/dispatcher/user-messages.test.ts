import { seededRandom } from '@flatline/base';
import { expect, test } from '@jest/globals';
import { GATEWAYS, loginValue, LOST_GATEWAY, MESSAGE_BYTES, messageValue, nextGateway } from './user-messages.ts';

test('all messages have the same length, whatever they say', () => {
  for (const login of [0, 12]) {
    expect(loginValue({ number: login, gateway: 'g17' })).toHaveLength(MESSAGE_BYTES);
    expect(messageValue({ login, sequence: 12_345 })).toHaveLength(MESSAGE_BYTES);
  }
});

test('a user goes to another gateway than his own, and never to the one that gets lost', () => {
  const random = seededRandom(1);
  const names = new Set(Array.from({ length: GATEWAYS }, (_, number) => `g${number}`));
  for (const from of names)
    for (let turn = 0; turn < 100; turn += 1) {
      const to = nextGateway(from, random);
      expect(names.has(to)).toBe(true);
      expect([from, LOST_GATEWAY]).not.toContain(to);
    }
});
