import { describe, expect, test } from '@jest/globals';
import type { Clock } from '@flatline/base';
import { Simulation } from '@flatline/cluster';
import { ExitCode } from './exit-code.ts';
import { type Stop, stopOnSignals, unlessStopped, withinPatience } from './stop.ts';

function process(): {
  exits: number[];
  send: (signal?: string) => void;
  at: (ms: number) => void;
  aborted: () => boolean;
} {
  const listeners = new Map<string, () => void>();
  const exits: number[] = [];
  let now = 0;
  const clock: Clock = { wallMs: () => now, monotonicMs: () => now, after: () => () => undefined };
  const source = {
    on: (signal: string, listener: () => void) => listeners.set(signal, listener),
    exit: (code: number) => exits.push(code),
  };
  const stop = stopOnSignals(source, clock);
  return {
    exits,
    send: (signal = 'SIGINT') => {
      listeners.get(signal)!();
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

  test('two key presses in haste are two', () => {
    const { exits, send, at } = process();
    send();
    at(250);
    send();
    expect(exits).toEqual([ExitCode.interrupted]);
  });

  test('a SIGTERM that an orphaned launcher passes on late is the same request', () => {
    const { exits, send, at } = process();
    send('SIGTERM');
    at(600);
    send('SIGTERM');
    expect(exits).toEqual([]);
  });
});

describe('a request to stop', () => {
  const forever = new Promise<never>(() => undefined);
  const stopped: Stop = { signal: AbortSignal.abort(), requested: Promise.resolve() };
  const unstopped: Stop = { signal: new AbortController().signal, requested: forever };

  test('ends a wait', async () => {
    expect(await unlessStopped<number>(forever, stopped)).toBeUndefined();
    expect(await unlessStopped(Promise.resolve(7), unstopped)).toBe(7);
  });

  test('is what makes an end urgent: half a second, and what does not end is left', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { clock } = simulation.start('host').ports;
    await simulation.time.complete(withinPatience(forever, stopped, clock));
    expect(simulation.time.nowMs).toBe(500);
    await withinPatience(Promise.resolve(), unstopped, clock);
  });
});
