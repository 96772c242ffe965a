import { expect, test } from '@jest/globals';
import { patient } from './connect.ts';

test('sessions are sent for as long as the broker is away, also where a time was left out as undefined', () => {
  expect(patient({}).deliveryTimeoutMs).toBeGreaterThan(1e12);
  expect(patient({ deliveryTimeoutMs: undefined }).deliveryTimeoutMs).toBeGreaterThan(1e12);
  expect(patient({ topic: 'visits', deliveryTimeoutMs: 5 })).toEqual({ topic: 'visits', deliveryTimeoutMs: 5 });
});
