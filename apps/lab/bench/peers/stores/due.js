// What waits in a store until it is due: put there, all due within a second, and handed to a worker once it is.
import { setTimeout as delay } from 'node:timers/promises';
import process from 'node:process';
import { cpuMsOf, memoryOf } from './server-process.js';

const SETTLE_MS = 3_000;
const CPU_FROM_MS = 1_000;

/**
 * Says what it costs to put it there, what it takes while it waits, and how long the last waited for the worker.
 * @param put told of the numbers of a chunk: from, and up to
 * @param take hands over what is due, by its number; a promise that only fails, if that
 * @param wanted as many are handed over in the end
 */
export async function measureDue(task, { put, take, wanted }, say) {
  const { records, chunkMax, dueFrom, runMaxMs, serverPid } = task;
  const emptyBytes = memoryOf(serverPid);
  const seen = new Uint8Array(records);
  let [count, twice] = [0, 0];
  const onDue = (id) => {
    seen[id] += 1;
    if (seen[id] > 1) twice += 1;
    else count += 1;
  };
  const adding = span(serverPid);
  for (let from = 0; from < records; from += chunkMax) await put(from, Math.min(records, from + chunkMax));
  const added = adding();
  await delay(SETTLE_MS);
  const pendingBytes = memoryOf(serverPid) - emptyBytes;
  if (Date.now() > dueFrom - CPU_FROM_MS) throw new Error('they were due before all of them were there');
  await delay(dueFrom - CPU_FROM_MS - Date.now());
  const draining = span(serverPid);
  const failed = take(onDue);
  let lastSeenAt = dueFrom;
  for (let before = 0; count < wanted && Date.now() < dueFrom + runMaxMs; before = count) {
    await Promise.race([failed.then(() => new Promise(() => undefined)), delay(5)]);
    if (count !== before) lastSeenAt = Date.now();
  }
  say({ added, pendingBytes, drained: draining(), drainMs: lastSeenAt - dueFrom, count, twice });
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
