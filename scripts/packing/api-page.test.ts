import { expect, test } from '@jest/globals';
import { sorted } from './api-page.ts';

test('a recorded API does not depend on the order in which the compiler met the members of a union', () => {
  const one = "format?: 'json' | 'avro' | 'auto' | undefined; x: 'b';";
  expect(sorted(one)).toBe("format?: 'auto' | 'avro' | 'json' | undefined; x: 'b';");
  expect(sorted(one)).toBe(sorted("format?: 'auto' | 'json' | 'avro' | undefined; x: 'b';"));
});
