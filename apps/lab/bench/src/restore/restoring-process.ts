// Starts a processor that ran before, sends what it took to run again, and runs on until it is told to stop:
// `fork(this, [task as JSON])`.
import { startProcessor } from '@flatline/processor';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContenderTask } from '../throughput/contender-task.ts';
import { configurationOf, log } from '../throughput/flatline-processing.ts';
import { LoopDelayMeter } from '../loop-delay.ts';
import type { RestoreCost } from './restore-contenders.ts';

const LOOK_MS = 5;
const PATIENCE_MS = 120_000;

const task = JSON.parse(process.argv[2]!) as ContenderTask;
const loop = new LoopDelayMeter();
loop.begin();
const cpuBefore = process.cpuUsage();
const startedAtMs = performance.now();
const processor = await startProcessor(configurationOf(task), { log });
while (!isRestored()) {
  if (performance.now() - startedAtMs > PATIENCE_MS)
    throw new Error(`the processor does not come up: ${JSON.stringify(processor.snapshot().tasks)}`);
  await Promise.race([delay(LOOK_MS), processor.finished]);
}
const untilRunningMs = performance.now() - startedAtMs;
const { user, system } = process.cpuUsage(cpuBefore);
const loopDelay = loop.end();
const { tasks } = processor.snapshot();
const cost: RestoreCost = {
  entries: tasks.reduce((sum, { liveEntries }) => sum + liveEntries, 0),
  restoreMs: Math.max(...tasks.map(({ restoreMs = 0 }) => restoreMs)),
  untilRunningMs,
  cpuMs: (user + system) / 1_000,
  loopDelay,
};
process.once('message', () => {
  void processor.stop().then(() => {
    process.disconnect();
  });
});
process.send!(cost);

function isRestored(): boolean {
  const { tasks } = processor.snapshot();
  return tasks.length === task.partitions && tasks.every(({ state }) => state === 'running');
}
