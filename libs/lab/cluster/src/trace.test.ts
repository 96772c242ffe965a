import { describe, expect, test } from '@jest/globals';
import { Trace } from './trace.ts';
import { VirtualTime } from './virtual-time.ts';

function traced(...lines: string[]): Trace {
  const trace = new Trace(new VirtualTime());
  for (const line of lines) trace.note(line);
  return trace;
}

describe('a trace', () => {
  test('its hash tells lines, their order and their time apart', async () => {
    const time = new VirtualTime();
    const later = new Trace(time);
    await time.runFor(1);
    later.note('a');
    later.note('b');
    const traces = [traced('a', 'b'), traced('b', 'a'), traced('a'), traced('a', 'b', 'b'), traced('a', 'c'), later];
    expect(new Set(traces.map(({ hash }) => hash)).size).toBe(traces.length);
    expect(traced('a', 'b').hash).toBe(traces[0]!.hash);
  });

  test('the last lines are kept, oldest first', () => {
    expect(traced('a', 'b').tail()).toEqual(['0 a', '0 b']);
    const many = traced(...Array.from({ length: 1_000 }, (_, index) => `line ${index}`)).tail();
    expect(many).toHaveLength(400);
    expect(many[0]).toBe('0 line 600');
    expect(many.at(-1)).toBe('0 line 999');
  });
});
