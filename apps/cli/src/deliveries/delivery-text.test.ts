import { expect, test } from '@jest/globals';
import { deliveryDetails, deliveryValue } from './delivery-text.ts';
import type { FoundDelivery } from './found-delivery.ts';

const found: FoundDelivery = {
  pipeline: 'visits',
  partition: 0,
  delivery: {
    endpoint: 'crm',
    id: 'visits:0-1:0',
    key: 'YQ==',
    order: 1,
    type: 'session.closed',
    body: Buffer.from('{}'),
    attempts: [{ at: 0, ms: 80.881_263_999_999_65, status: 500 }],
  },
  state: 'undeliverable',
  at: 0,
  why: 'attempts',
  offset: 7,
};

test('[N6] attempts took whole milliseconds', () => {
  expect(deliveryDetails(found)).toContain('1970-01-01 00:00:00, 81 ms: 500');
  expect(deliveryValue(found)).toMatchObject({ attempts: [{ ms: 81 }] });
});

test('[N6] what a replay has sent again says so', () => {
  expect(deliveryDetails({ ...found, isReplayed: true })).toContain('1970-01-01 00:00:00, sent again since');
  expect(deliveryValue({ ...found, isReplayed: true })).toMatchObject({ replayed: true });
  expect(deliveryDetails(found)).not.toContain('sent again');
});
