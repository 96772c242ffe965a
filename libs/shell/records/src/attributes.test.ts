import { expect, test } from '@jest/globals';
import { openEventEncoder } from './events/event-encoder.ts';
import { encodeRequest } from './leases/request-encoder.ts';

test('attributes are a Map or a plain object', async () => {
  const encoder = await openEventEncoder('json', 'visits', undefined);
  const [asMap, asObject] = [new Map([['page', '/cart']]), { page: '/cart' }];
  expect(encoder.encode({ attributes: asObject })).toEqual(encoder.encode({ attributes: asMap }));
  expect(encodeRequest({ attributes: asObject })).toEqual(encodeRequest({ attributes: asMap }));
  const wrong = { attributes: { page: 7 } as unknown as Record<string, string> };
  expect(() => encoder.encode(wrong)).toThrow(/attributes/);
  expect(() => encoder.encode({ attributes: ['page'] as unknown as Record<string, string> })).toThrow(/attributes/);
});
