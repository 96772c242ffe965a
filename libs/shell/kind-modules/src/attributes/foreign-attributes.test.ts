// Attributes of JSON that is no event, as the decoder and the oracle read them.
import { describe, expect, test } from '@jest/globals';
import { foreignEvent } from '@flatline/oracle';
import { blankEvent } from '@flatline/ports/formats';
import { foreignDecoder } from '@flatline/records/gate';

/** Both readings; null: a dead letter. */
function read(at: string, text: string): readonly unknown[] {
  const bytes = Buffer.from(text);
  const event = blankEvent();
  const { kind } = foreignDecoder(at).decode(bytes, 0, bytes.length, event);
  const second = foreignEvent(bytes, at);
  const entries = (found: ReadonlyMap<string, string> | undefined) => [...(found ?? [])];
  return [kind === 'event' ? entries(event.attributes) : null, second === 'bad' ? null : entries(second.attributes)];
}

const IDS = '{"id":9223372036854775807,"price":1.10,"e":1e400,"gone":null,"on":true,"t":"é","in":{"a":[1.0,"x",null]}}';
const READ = [
  ['id', '9223372036854775807'],
  ['price', '1.10'],
  ['e', '1e400'],
  ['on', 'true'],
  ['t', 'é'],
  ['in', '{"a":[1.0,"x",null]}'],
];

describe('attributes of a value that is no event', () => {
  test.each<[string, string, string, unknown]>([
    ['where the pointer leads', '/payload/after', `{"payload":{"after":${IDS}}}`, READ],
    ['of the whole value', '', IDS, READ],
    ['behind names with the signs of pointers', '/a~1b/~0', '{"a/b":{"~":{"x":"y"}}}', [['x', 'y']]],
    ['none where nothing lies there', '/payload/after', '{"payload":{}}', []],
    ['none of null', '/after', '{"after":null,"op":"d"}', []],
    [
      'of names that are no names elsewhere',
      '',
      '{"__proto__":"a","constructor":"b"}',
      [
        ['__proto__', 'a'],
        ['constructor', 'b'],
      ],
    ],
    ['a letter of a list', '/after', '{"after":[1]}', null],
    ['a letter of a text', '/after', '{"after":"x"}', null],
    ['a letter of a number', '/after', '{"after":7}', null],
    ['a letter of what is no JSON', '/after', '{"after":', null],
    ['a letter of half a pair', '', '{"a":"\\ud800"}', null],
    ['none of what is inherited', '/toString', '{}', []],
    ['none behind a text', '/after/length', '{"after":"x"}', []],
  ])('[S8][E1] are %s', (_what, at, text, expected) => {
    expect(read(at, text)).toEqual([expected, expected]);
  });

  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  test.each<[string, string, unknown]>([
    ['a value nested 512 deep', `{"a":${nested(511)}}`, [['a', nested(511)]]],
    ['a letter of one deeper by a level', `{"a":${nested(512)}}`, null],
    ['a letter of one as deep as it is long', `{"a":${nested(300_000)}}`, null],
    ['brackets in texts, which are none', `{"a":"\\"${'['.repeat(600)}\\\\","b":${nested(511)}}`, undefined],
    ['a list behind lists that have ended', `{"a":[${Array(600).fill('[]').join()}]}`, undefined],
  ])('[S8][I1] take no more stack than so much: %s', (_what, text, expected) => {
    const [first, second] = read('', text);
    expect(second).toEqual(first);
    if (expected === undefined) expect(first).not.toBeNull();
    else expect(first).toEqual(expected);
  });
});
