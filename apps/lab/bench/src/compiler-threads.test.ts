import { expect, test } from '@jest/globals';
import { CompilerThreads } from './compiler-threads.ts';

const stat = (name: string, user: number, system: number): string =>
  `7 (${name}) S 1 1 1 0 -1 4194368 10 0 0 0 ${user} ${system} 0 0 20 0 90 0`;

/** Threads by id, of which the test changes what they have taken. */
function process(threads: Record<string, string>): CompilerThreads {
  return new CompilerThreads({ threads: () => Object.keys(threads), stat: (thread) => threads[thread] });
}

test('what compiling takes is the time of all compilers, in user and system mode, and of no other thread', () => {
  const threads = {
    1: stat('java', 900, 900),
    2: stat('C2 CompilerThre', 100, 10),
    3: stat('C1 CompilerThre', 20, 0),
    4: stat('data-plane-kafk', 70, 7),
  };
  expect(process(threads).nowMs()).toBe(1_300);
});

test('a compiler that has ended still counts with what it was last seen with, and one that came later counts, too', () => {
  const threads: Record<string, string> = { 2: stat('C2 CompilerThre', 100, 0), 3: stat('C2 CompilerThre', 50, 0) };
  const compilers = process(threads);
  expect(compilers.nowMs()).toBe(1_500);
  delete threads[3];
  threads[2] = stat('C2 CompilerThre', 110, 0);
  threads[5] = stat('C1 CompilerThre', 1, 0);
  expect(compilers.nowMs()).toBe(1_610);
});

test('a process without compilers, or one that is not seen, is not said to compile in no time', () => {
  expect(process({ 1: stat('node', 10, 1) }).nowMs()).toBeUndefined();
  expect(process({}).nowMs()).toBeUndefined();
});
