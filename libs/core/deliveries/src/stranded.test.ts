import { expect, test } from '@jest/globals';
import type { Delivery } from './delivery.ts';
import { afterStranding, STRANDED_LOOK_MS, STRANDED_MAX_MS } from './stranded.ts';

const DELIVERY: Delivery = {
  endpoint: 'new',
  id: 'd',
  key: 'k',
  order: 1,
  type: 'session.closed',
  attempts: [],
  body: new Uint8Array(1),
};

test('[N4] a delivery to an endpoint that is not known here waits a day for who knows it, and is given up then', () => {
  let delivery = DELIVERY;
  let at = 5;
  for (;;) {
    const write = afterStranding(delivery, at);
    if (write.kind !== 'keep') {
      expect(write).toEqual({ kind: 'giveUp', delivery, why: 'no-endpoint' });
      break;
    }
    expect(write).toMatchObject({ phase: 'waiting', dueAt: at + STRANDED_LOOK_MS, delivery: { strandedAt: 5 } });
    delivery = write.delivery;
    at = write.dueAt;
  }
  expect(at - 5).toBe(STRANDED_MAX_MS);
});
