// A worker of tasks with a callback and a limit (tasks.md): node task-worker.js BROKERS NAME
/* global fetch */
import { connect } from '@flatline/client';
import { Buffer } from 'node:buffer';
import process from 'node:process';

const [brokers, worker] = process.argv.slice(2);
const flatline = connect({ brokers: brokers.split(',') });
process.once('SIGTERM', () => flatline.close());

const post = async (url, id, token, body, signal) => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': id, 'fencing-token': String(token) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return await answer.text();
};

await flatline.tasks({
  worker,
  runs: 'tasks-due',
  group: 'task-workers',
  timeoutMs: 4_000,
  leases: { topic: 'task-locks-in', answers: 'task-locks' },
  retries: { attempts: 3, firstMs: 1_000, schedules: 'tasks-in' },
  handler: async ({ id, value, attempt, token, signal }) => {
    const { run, input, callback } = JSON.parse(Buffer.from(value).toString());
    const result = await post(run, id, token, { input, attempt }, signal); // what takes long
    await post(callback, id, token, { id, result }, signal);
    return result;
  },
});
