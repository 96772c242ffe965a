import { describe, expect, test } from '@jest/globals';
import { TASK_BOUNDS } from '../limits.ts';
import { ProcessShare } from './process-share.ts';

const MIB = 1024 * 1024;

describe('the share of a task', () => {
  test('[X6] is of what all pipelines of the process have: ten do not have ten times as much', () => {
    const process = new ProcessShare();
    const pipelines = Array.from({ length: 10 }, () => ({ running: 0, standingBy: 0 }));
    for (const pipeline of pipelines) process.join(pipeline);
    pipelines[0]!.running = 16;
    const alone = [
      process.commitBytes(TASK_BOUNDS),
      process.flushBytes(TASK_BOUNDS),
      process.deadLetterBytes(TASK_BOUNDS),
      process.takenRowBytes(),
      process.outputBytes(TASK_BOUNDS),
    ];
    for (const pipeline of pipelines) pipeline.running = 16;
    const together = [
      process.commitBytes(TASK_BOUNDS),
      process.flushBytes(TASK_BOUNDS),
      process.deadLetterBytes(TASK_BOUNDS),
      process.takenRowBytes(),
      process.outputBytes(TASK_BOUNDS),
    ];
    expect(alone).toEqual([16 * MIB, 8 * MIB, 2 * MIB, 8 * MIB, 0.75 * MIB]);
    expect(together).toEqual([1.6 * MIB, 1 * MIB, 256 * 1024, 1 * MIB, 512 * 1024]);
  });

  test('[X6] is at most what one task may have, and all of it for the only one', () => {
    const process = new ProcessShare();
    process.join({ running: 1, standingBy: 0 });
    expect(process.commitBytes(TASK_BOUNDS)).toBe(32 * MIB);
    expect(process.flushBytes(TASK_BOUNDS)).toBe(32 * MIB);
    expect(process.deadLetterBytes(TASK_BOUNDS)).toBe(4 * MIB);
    expect(process.takenRowBytes()).toBe(32 * MIB);
    expect(process.outputBytes(TASK_BOUNDS)).toBe(3 * MIB);
  });

  test('[X6] standbys have local stores, and commit nothing', () => {
    const process = new ProcessShare();
    process.join({ running: 8, standingBy: 8 });
    expect(process.commitBytes(TASK_BOUNDS)).toBe(32 * MIB);
    expect(process.flushBytes(TASK_BOUNDS)).toBe(8 * MIB);
    expect(process.outputBytes(TASK_BOUNDS)).toBe(1.5 * MIB);
  });
});
