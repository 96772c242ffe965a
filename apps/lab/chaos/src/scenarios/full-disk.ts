// F12: the disk of the local stores fills up, and is freed again. The store is a cache: nothing else may stop.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { sleep } from '../stage/sleep.ts';
import { Trial } from '../trial/trial.ts';

const DISK_BYTES = 2 * 1024 * 1024;
/** Stores are flushed every fifteen seconds. */
const REFUSED_WITHIN_MS = 45_000;
const AFTERWARDS_MS = 20_000;

const mayMount = process.platform === 'linux' && process.getuid?.() === 0;

export const fullDisk: Scenario = {
  id: 'F12',
  title: 'the disk of the local stores full, then freed',
  nodes: 1,
  variants: 1,
  ...(mayMount ? {} : { skipped: 'needs the right to mount a file system (Linux, root); libs/shell/store tests it' }),
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context);
  const disk = trial.application.stateDir('a');
  mkdirSync(disk, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk]);
  try {
    trial.variant = `a disk of ${DISK_BYTES / 1024 / 1024} MB`;
    trial.load();
    const processor = await trial.started();
    const filler = join(disk, 'filler');
    fill(filler);
    trial.armed = 1;
    if ((await processor.line(/local store not written/, REFUSED_WITHIN_MS)) !== undefined) trial.hit();
    rmSync(filler);
    await sleep(AFTERWARDS_MS);
    const complaints = processor.said(/local store not written/).length;
    await sleep(AFTERWARDS_MS);
    const later = processor.said(/local store not written/).length - complaints;
    if (later > 0)
      trial.violations.push({
        rule: 'F12',
        subject: 'local store',
        detail: `not healed: ${later} failures afterwards`,
      });
    trial.facts['writesRefused'] = complaints;
    return await trial.conclude([processor]);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

function fill(path: string): void {
  const block = Buffer.alloc(4_096, 1);
  try {
    for (;;) writeFileSync(path, block, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
