import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { StoreDrop } from '@flatline/ports';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DropLog } from './drop-log.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  directory.remove();
});
const drop = (at: number): StoreDrop => ({ partition: 3, reason: 'checksum', at });

test('[R2] what was dropped is known to the next process, and a line that was cut off harms none', () => {
  const first = new DropLog(directory.path);
  first.note(drop(1));
  first.note(drop(2));
  appendFileSync(join(directory.path, 'dropped'), '{"partition":3,"rea');
  expect(new DropLog(directory.path).drops).toEqual([drop(1), drop(2)]);
  // Another worker's, opened before.
  const other = new DropLog(directory.path);
  first.note(drop(3));
  other.note(drop(4));
  expect(other.drops).toEqual([1, 2, 3, 4].map(drop));
});

test('[X6] the newest are kept, up to a number', () => {
  const log = new DropLog(directory.path);
  for (let at = 0; at < 200; at += 1) log.note(drop(at));
  expect(log.drops).toHaveLength(64);
  expect(new DropLog(directory.path).drops.at(-1)).toEqual(drop(199));
});

test('[F12] where it cannot be written, this process knows all the same', () => {
  const log = new DropLog(directory.path);
  rmSync(directory.path, { recursive: true });
  log.note(drop(1));
  expect(log.drops).toEqual([drop(1)]);
});
