import { expect, test } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { keysIn } from './keys.ts';
import { changes, Screen } from './screen.ts';

test('only lines that have changed are written', () => {
  expect(changes(['a', 'b', 'c'], ['a', 'B', 'c'])).toBe('\x1b[2;1HB\x1b[0m\x1b[K');
  expect(changes(['a', 'b'], ['a', 'b'])).toBe('');
  expect(changes(['a', 'b'], ['a'])).toBe('\x1b[2;1H\x1b[0m\x1b[K');
});

function drawn(...frames: readonly (readonly string[] | 'resize')[]): string {
  const stream = new PassThrough();
  const screen = new Screen(stream);
  for (const frame of frames)
    if (frame === 'resize') stream.emit('resize');
    else screen.draw(frame);
  screen.leave(['the last']);
  expect(stream.listenerCount('resize')).toBe(0);
  return String(stream.read());
}

test('the terminal is given back, with the last of it below', () => {
  expect(drawn(['a'])).toBe('\x1b[?1049h\x1b[?25l\x1b[2J\x1b[1;1Ha\x1b[0m\x1b[K\x1b[?25h\x1b[?1049lthe last\x1b[0m\n');
});

test('a terminal of another size is drawn whole', () => {
  const whole = '\x1b[1;1Ha\x1b[0m\x1b[K\x1b[2;1Hb\x1b[0m\x1b[K';
  expect(drawn(['a', 'b'], 'resize', ['a', 'b'])).toContain(`${whole}\x1b[2J${whole}`);
});

test.each([
  ['\x1b[A\x1b[B', ['up', 'down']],
  ['q', ['q']],
  ['\x1b', ['escape']],
  ['\r', ['enter']],
  ['\x03', ['interrupt']],
  ['\x1b[15~\x1bOC', ['right']],
  ['jé', ['j', 'é']],
])('keys have names: %j', (typed, keys) => {
  expect(keysIn(typed)).toEqual(keys);
});
