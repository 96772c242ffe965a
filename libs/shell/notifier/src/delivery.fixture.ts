import type { Delivery } from '@flatline/deliveries';

/** One that was never tried. */
export const DELIVERY: Delivery = {
  endpoint: 'sink',
  id: 'visits:0-1:0',
  key: 'YQ==',
  order: 1,
  type: 'session.closed',
  body: Buffer.from('{"a":1}'),
  attempts: [],
};
