import { describe, expect, test } from '@jest/globals';
import { ExitCode } from '../exit-code.ts';
import { Workforce, type WorkerEnd } from './workforce.ts';

const KILLED: WorkerEnd = { code: null, signal: 'SIGKILL' };
const exit = (code: number): WorkerEnd => ({ code, signal: null });

function running(count: number): Workforce {
  const workforce = new Workforce(count);
  workforce.start(0);
  return workforce;
}

/** Ends worker 1 at each of these times after its start; the pauses that follow. */
function pausesAfter(lives: readonly number[], end = KILLED): number[] {
  const workforce = running(1);
  let nowMs = 0;
  return lives.map((lifeMs) => {
    nowMs += lifeMs;
    workforce.ended(1, end, nowMs);
    const pauseMs = workforce.nextStartMs! - nowMs;
    expect(workforce.start(nowMs + pauseMs - 1)).toEqual([]);
    nowMs += pauseMs;
    expect(workforce.start(nowMs)).toEqual([1]);
    return pauseMs;
  });
}

describe('a workforce', () => {
  test('begins with all of its workers', () => {
    const workforce = new Workforce(3);
    expect(workforce.start(0)).toEqual([1, 2, 3]);
    expect(workforce.start(0)).toEqual([]);
    expect(workforce.nextStartMs).toBeUndefined();
    expect(workforce.outcome).toBeUndefined();
  });

  test('WF1: pauses double up to half a minute, and begin again after a minute of running', () => {
    expect(pausesAfter([1, 1, 1, 1])).toEqual([200, 400, 800, 1_600]);
    expect(pausesAfter(Array.from({ length: 12 }, () => 1)).at(-1)).toBe(30_000);
    expect(pausesAfter([1, 59_999, 60_000, 1])).toEqual([200, 400, 200, 400]);
  });

  test.each([ExitCode.ok, ExitCode.unreachable, ExitCode.partitionStopped, ExitCode.internal])(
    'WF1: exit code %i is an end like kill −9',
    (code) => {
      expect(pausesAfter([1, 1], exit(code))).toEqual([200, 400]);
    },
  );

  test('WF2: a wrong configuration is not tried again, and is the outcome once it is that of all', () => {
    const workforce = running(2);
    expect(workforce.ended(2, exit(ExitCode.usage), 5)).toEqual({ kind: 'ended', code: ExitCode.usage });
    expect(workforce.nextStartMs).toBeUndefined();
    expect(workforce.outcome).toBeUndefined();
    workforce.ended(1, KILLED, 6);
    expect(workforce.outcome).toBeUndefined();
    expect(workforce.start(206)).toEqual([1]);
    workforce.ended(1, exit(ExitCode.usage), 300);
    expect(workforce.outcome).toBe(ExitCode.usage);
  });

  test('WF4: where worker 1 was replaced no worker is tried again, and that is the outcome', () => {
    const workforce = running(5);
    workforce.ended(3, exit(ExitCode.usage), 1);
    workforce.ended(4, KILLED, 2);
    workforce.ended(5, exit(ExitCode.stateInUse), 3);
    expect(workforce.ended(1, exit(ExitCode.stateInUse), 5)).toEqual({ kind: 'ended', code: ExitCode.stateInUse });
    expect(workforce.isReplaced).toBe(true);
    expect(workforce.nextStartMs).toBeUndefined();
    expect(workforce.start(100_000)).toEqual([]);
    expect(workforce.outcome).toBeUndefined();
    workforce.ended(2, exit(ExitCode.ok), 9);
    expect(workforce.outcome).toBe(ExitCode.stateInUse);
  });

  test('WF5: another worker that was replaced is started once more after half a minute; replaced again, it is the end', () => {
    const workforce = running(3);
    for (const worker of [2, 3]) {
      workforce.ended(worker, exit(ExitCode.stateInUse), 5);
      expect(workforce.isReplaced).toBe(false);
    }
    expect(workforce.start(30_004)).toEqual([]);
    expect(workforce.start(30_005)).toEqual([2, 3]);
    workforce.ended(2, KILLED, 200_000);
    expect(workforce.start(200_200)).toEqual([2]);
    expect(workforce.ended(2, exit(ExitCode.stateInUse), 900_000)).toEqual({
      kind: 'ended',
      code: ExitCode.stateInUse,
    });
    expect(workforce.isReplaced).toBe(true);
    expect(workforce.nextStartMs).toBeUndefined();
  });

  test('WF4: what ends a worker that was asked to stop is no replacement', () => {
    const workforce = running(1);
    workforce.stop();
    workforce.ended(1, exit(ExitCode.stateInUse), 1);
    expect(workforce.isReplaced).toBe(false);
    expect(workforce.outcome).toBe(ExitCode.stateInUse);
  });

  test('WF3: stopped, it ends with 0 once all have ended, also one that waited', () => {
    const workforce = running(3);
    workforce.ended(2, KILLED, 10);
    workforce.stop();
    expect(workforce.start(10_000)).toEqual([]);
    workforce.ended(1, exit(ExitCode.ok), 20);
    expect(workforce.outcome).toBeUndefined();
    workforce.ended(3, { code: null, signal: 'SIGTERM' }, 21);
    expect(workforce.outcome).toBe(ExitCode.ok);
  });

  test('WF3: what failed while it was stopped is the outcome', () => {
    const workforce = running(2);
    workforce.stop();
    workforce.ended(1, KILLED, 1);
    workforce.ended(2, exit(ExitCode.ok), 2);
    expect(workforce.outcome).toBe(ExitCode.partitionStopped);
  });
});
