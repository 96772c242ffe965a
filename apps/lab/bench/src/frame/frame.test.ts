import { expect, test } from '@jest/globals';
import { over } from './frame.ts';

test('an option replaces the default of its name, and adds none', () => {
  const options = { sessions: 7, events: 9, repeats: undefined };
  expect(over({ sessions: 1, repeats: 3, partitions: 4 }, options)).toEqual({ sessions: 7, repeats: 3, partitions: 4 });
});
