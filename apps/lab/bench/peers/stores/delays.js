// Messages that wait until they are due: put into the store, all due within a second, and handed to a worker once they are.
import { setTimeout as delay } from 'node:timers/promises';
import process from 'node:process';
import { cpuMsOf, memoryOf } from './server-process.js';

const SETTLE_MS = 3_000;
const CPU_FROM_MS = 1_000;

/** Says what it costs to put them there, what they take while they wait, and how long the last one waited for the worker. */
export async function delays(task, store, say) {
  const { records, chunkMax, dueFrom, dueWithinMs, runMaxMs, valueBytes, serverPid, pollEveryMs } = task;
  const emptyBytes = memoryOf(serverPid);
  const seen = new Uint8Array(records);
  let [count, twice] = [0, 0];
  const onDue = (id) => {
    seen[id] += 1;
    if (seen[id] > 1) twice += 1;
    else count += 1;
  };
  const adding = span(serverPid);
  for (let from = 0; from < records; from += chunkMax)
    await store.add(messages(from, Math.min(records, from + chunkMax), { dueFrom, dueWithinMs, valueBytes }));
  const added = adding();
  await delay(SETTLE_MS);
  const pendingBytes = memoryOf(serverPid) - emptyBytes;
  if (Date.now() > dueFrom - CPU_FROM_MS) throw new Error('they were due before all of them were there');
  await delay(dueFrom - CPU_FROM_MS - Date.now());
  const draining = span(serverPid);
  const failed = store.drain(onDue, pollEveryMs);
  let lastSeenAt = dueFrom;
  for (let before = 0; count < records && Date.now() < dueFrom + runMaxMs; before = count) {
    await Promise.race([failed.then(() => new Promise(() => undefined)), delay(5)]);
    if (count !== before) lastSeenAt = Date.now();
  }
  say({ added, pendingBytes, drained: draining(), drainMs: lastSeenAt - dueFrom, count, twice });
}

function* messages(from, to, { dueFrom, dueWithinMs, valueBytes }) {
  for (let id = from; id < to; id += 1) {
    const dueAt = dueFrom + (id % dueWithinMs);
    yield { id, dueAt, value: `{"deadlineAt":${dueAt}}`.padEnd(valueBytes) };
  }
}

/** Until the function that it returns is called. */
function span(serverPid) {
  const cpuMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000 + cpuMsOf(serverPid);
  };
  const [at, before] = [Date.now(), cpuMs()];
  return () => ({ elapsedMs: Date.now() - at, cpuMs: cpuMs() - before });
}
