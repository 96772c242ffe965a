import { expect, test } from '@jest/globals';
import { storedJson, storedMembers } from './stored-value.ts';

const nested = (depth: number, inmost = ''): string => `${'['.repeat(depth)}${inmost}${']'.repeat(depth)}`;

test('[O7][I3] a value that is nested 512 deep is kept as it is, beyond that as its text', () => {
  expect(JSON.stringify(storedJson(JSON.parse(nested(512))))).toBe(nested(512));
  const inmost = '{"a\\"":[1,"\\u0000",null,true,{}],"b":-0.5}';
  for (const depth of [512, 100_000]) expect(storedJson(JSON.parse(nested(depth, inmost)))).toBe(nested(depth, inmost));
});

test('[O7] a member that becomes text leaves the others what they are', () => {
  const members = {
    wide: Array.from({ length: 200_000 }, () => 1),
    deep: JSON.parse(nested(600)) as unknown,
    gone: undefined,
  };
  expect(storedMembers(members)).toEqual({ ...members, deep: nested(600) });
});

test('[O7] a number beyond those of JSON is told apart from null', () => {
  const [most, least, none] = JSON.parse('[1e999, -1e999, null]') as unknown[];
  expect(storedJson({ most, least, none })).toEqual({ most: 'Infinity', least: '-Infinity', none: null });
  const deep = [JSON.parse(nested(600)) as unknown, most];
  expect(storedJson(deep)).toBe(`[${nested(600)},"Infinity"]`);
});
