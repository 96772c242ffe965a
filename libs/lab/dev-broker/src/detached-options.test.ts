import { expect, test } from '@jest/globals';
import { detachedOptions } from './detached-options.ts';

test('a detached broker listens where the README says, also where a port was left out as undefined', () => {
  expect(detachedOptions({}, '/data').port).toBe(9092);
  expect(detachedOptions({ port: undefined }, '/data').port).toBe(9092);
  expect(detachedOptions({ port: 19_092, source: 'java' }, '/data')).toEqual({
    port: 19_092,
    source: 'java',
    dataDir: '/data',
  });
});
