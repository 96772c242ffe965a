// Jobs that wait in a store until they are due: put there, all due within a second, handed to a worker once they are; and others
// beside them.
import { setTimeout as delay } from 'node:timers/promises';
import process from 'node:process';
import { cpuMsOf, memoryOf } from './server-process.js';

const SETTLE_MS = 3_000;
/** The worker begins so long before the first of all is due, and is measured from so long before those that are due together. */
const LEAD_MS = 1_000;

/** When a number is due: below `records` with all the rest, else as one of the others. */
export function dueAtOf({ records, dueFrom, dueWithinMs, othersFrom, otherEveryMs }, number) {
  return number < records ? dueFrom + (number % dueWithinMs) : othersFrom + (number - records) * otherEveryMs;
}

/**
 * Says what it costs to put it there, what it takes while it waits, and how long the last, and each of the others, waited for the worker.
 * @param put told of the numbers of a chunk: from, and up to
 * @param take hands over what is due, by its number; a promise that only fails, if that
 * @param wanted as many of those that are due together are handed over in the end
 */
export async function measureDue(task, { put, take, wanted }, say) {
  const { records, others, chunkMax, dueFrom, othersFrom, runMaxMs, serverPid } = task;
  const emptyBytes = memoryOf(serverPid);
  const adding = span(serverPid);
  const all = records + others;
  for (let from = 0; from < all; from += chunkMax) await put(from, Math.min(all, from + chunkMax));
  const added = adding();
  await delay(SETTLE_MS);
  const pendingBytes = memoryOf(serverPid) - emptyBytes;
  const leftMs = othersFrom - LEAD_MS - Date.now();
  if (leftMs < 0) throw new Error('they were due before all of them were there');
  await delay(leftMs);
  const seen = new Seen(task);
  const failed = take((number) => seen.see(number));
  const until = async (isDone, at) => {
    while (!isDone() && Date.now() < at)
      await Promise.race([failed.then(() => new Promise(() => undefined)), delay(5)]);
  };
  await until(() => false, dueFrom - LEAD_MS);
  const draining = span(serverPid);
  await until(() => seen.count === wanted, dueFrom + runMaxMs);
  const drained = draining();
  await until(() => seen.othersLeft === 0, dueFrom + runMaxMs);
  const { count, twice, lastSeenAt, othersSeenAt } = seen;
  say({ added, pendingBytes, drained, drainMs: lastSeenAt - dueFrom, count, twice, othersSeenAt });
}

class Seen {
  #times;
  #records;
  count = 0;
  twice = 0;
  lastSeenAt;
  othersSeenAt;
  othersLeft;

  constructor({ records, others, dueFrom }) {
    this.#times = new Uint8Array(records + others);
    this.#records = records;
    this.lastSeenAt = dueFrom;
    this.othersSeenAt = new Array(others).fill(0);
    this.othersLeft = others;
  }

  see(number) {
    this.#times[number] += 1;
    if (this.#times[number] > 1) this.twice += 1;
    else if (number < this.#records) {
      this.count += 1;
      this.lastSeenAt = Date.now();
    } else {
      this.othersSeenAt[number - this.#records] = Date.now();
      this.othersLeft -= 1;
    }
  }
}

/** Until the function that it returns is called. */
function span(serverPid) {
  const clientMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const [at, client, server] = [Date.now(), clientMs(), cpuMsOf(serverPid)];
  return () => ({
    elapsedMs: Date.now() - at,
    serverCpuMs: cpuMsOf(serverPid) - server,
    clientCpuMs: clientMs() - client,
  });
}
