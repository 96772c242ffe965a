// A worker of tasks that tells when it believes to hold each: `node task-worker.fixture.ts <brokers> <application> runs|batches`.
import { connect } from '@flatline/client';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 10;
const WORK_MS = 400;

const [brokers = '', application = '', from = 'runs'] = process.argv.slice(2);
const flatline = connect({ brokers: brokers.split(',') });
process.once('SIGTERM', () => {
  void flatline.close();
});
const work = from === 'runs' ? { runs: `${application}-due` } : { batches: `${application}-lists` };
await flatline.tasks({
  ...work,
  group: `${application}-workers-${from}`,
  leases: { topic: `${application}-locks-in`, answers: `${application}-locks` },
  timeoutMs: 20_000,
  retries: { attempts: 3, firstMs: 500, ...(from === 'runs' && { schedules: `${application}-in` }) },
  handler: async (task) => {
    for (const until = Date.now() + WORK_MS; Date.now() < until;) {
      // Taken before the look: a process that is stopped between the two believes at the moment when it looks.
      const at = Date.now();
      if (!task.isHeld) throw new Error('not held');
      console.log(`believes ${task.id} ${task.token} ${at}`);
      await sleep(LOOK_MS);
    }
    return task.batch?.items.length ?? 1;
  },
});
