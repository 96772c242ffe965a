// The SDK's worker as a process of the simulated cluster, with runs that are put on its topic.
import { Simulation } from '@flatline/cluster';
import { expect, test } from '@jest/globals';
import type { Fate } from './handler.ts';
import { TaskLedger } from './ledger.ts';
import { drawTasks, DUE, RESULTS, WORKERS_GROUP } from './scenario.ts';
import { TaskWorker } from './task-worker.ts';
import { TokenGate } from './token-gate.ts';
import { WorkerFreezes } from './worker-freezes.ts';

const utf8 = new TextEncoder();

test('[T1] what is due is worked off, recorded, and then its place committed', async () => {
  const simulation = new Simulation({ seed: 1 });
  const { log, time } = simulation;
  for (const topic of [DUE, RESULTS]) log.createTopic(topic, { partitions: 1 });
  simulation.group(WORKERS_GROUP, { partitions: 1 });
  const headers = Object.entries({ 'flatline-due-at': '1', 'flatline-schedule': '0-1', 'flatline-run': '1' });
  for (const fate of ['quick', 'bad'] satisfies Fate[])
    log.produce(DUE, 0, {
      key: 'k',
      value: JSON.stringify({ fate }),
      headers: headers.map(([name, value]) => ({ name, value: utf8.encode(value) })),
    });
  const freezes = new WorkerFreezes(simulation, false);
  freezes.heal([]);
  const ledger = new TaskLedger();
  const worker = new TaskWorker('w', {
    simulation,
    scenario: { ...drawTasks(1), partitions: 1, isLeased: false, retryBy: 'worker', attempts: 2, timeoutMs: undefined },
    ledger,
    gate: new TokenGate(simulation.faults),
    freezes,
    note: () => undefined,
  });
  const running = worker.run();
  await time.runFor(10_000);
  const outcomes = log
    .committed(RESULTS, 0)
    .map(({ value }) => JSON.parse(new TextDecoder().decode(value ?? undefined)) as object);
  expect(outcomes).toMatchObject([
    { id: '0-0', state: 'DONE', attempt: 1, worker: 'w', result: '0-0/1' },
    { id: '0-1', state: 'FAILED', attempt: 1, retryBy: 'worker' },
    { id: '0-1', state: 'POISON', attempt: 2 },
  ]);
  expect(ledger.begun.map(({ id, attempt }) => `${id}/${attempt}`)).toEqual(['0-0/1', '0-1/1', '0-1/2']);
  expect(log.offsets.committed(WORKERS_GROUP, { topic: DUE, partition: 0 })).toMatchObject({ offset: 2 });
  worker.leave();
  await time.complete(running);
});
