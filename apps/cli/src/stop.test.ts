import { describe, expect, test } from '@jest/globals';
import type { Clock } from '@flatline/base';
import { ExitCode } from './exit-code.ts';
import { stopOnSignals } from './stop.ts';

function process(): { exits: number[]; send: () => void; at: (ms: number) => void; aborted: () => boolean } {
  const listeners: (() => void)[] = [];
  const exits: number[] = [];
  let now = 0;
  const clock: Clock = { wallMs: () => now, monotonicMs: () => now, after: () => () => undefined };
  const source = {
    on: (signal: string, listener: () => void) => signal === 'SIGINT' && listeners.push(listener),
    exit: (code: number) => exits.push(code),
  };
  const stop = stopOnSignals(source, clock);
  return {
    exits,
    send: () => {
      for (const listener of listeners) listener();
    },
    at: (ms) => {
      now = ms;
    },
    aborted: () => stop.signal.aborted,
  };
}

describe('signals', () => {
  test('the first asks to stop, a later one exits at once', () => {
    const { exits, send, at, aborted } = process();
    expect(aborted()).toBe(false);
    send();
    expect(aborted()).toBe(true);
    at(5000);
    send();
    expect(exits).toEqual([ExitCode.interrupted]);
  });

  test('one key press that arrives twice is one', () => {
    const { exits, send, at } = process();
    send();
    at(50);
    send();
    expect(exits).toEqual([]);
  });
});
