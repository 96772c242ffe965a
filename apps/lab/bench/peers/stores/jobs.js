// The jobs of a peer, the same for every store.
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { consume } from './events.js';
import { Meter } from './meter.js';

/** Gets through what lies in the topic, or as far as it comes in `runMaxMs`, and says what that cost. */
export async function processAll(task, store, say) {
  const meter = new Meter(task);
  const closing = closeOnTime(task, store);
  const { commit } = await new Promise((resolve, reject) => {
    closing.catch(reject);
    const consuming = consume(task, async (events) => {
      meter.start();
      const isApplied = !meter.isDone();
      if (isApplied) await store.apply(events);
      if (isApplied) meter.add(events.length);
      if (meter.isDone()) resolve(consuming);
      return isApplied;
    });
    consuming.catch(reject);
  });
  await commit();
  say(meter.cost());
}

/** Runs until the end of its standard input, which is the end of the process that started it. */
export async function run(task, store, say) {
  const failed = closeOnTime(task, store);
  const { joined } = await consume(task, async (events) => {
    await store.apply(events);
    return true;
  });
  await joined;
  say({ running: true });
  await Promise.race([failed, inputEnds()]);
}

/** Sees closes as a user of them does, at the moment it does. */
export async function watch(task, store, say) {
  await store.watch((sessionId, deadlineAt) => {
    say({ sessionId, deadlineAt, seenAt: Date.now() });
  });
  say({ running: true });
  await inputEnds();
}

async function closeOnTime({ pollEveryMs }, { closeSilent, closesMax }) {
  // BullMQ's workers do it themselves.
  if (closeSilent === undefined) return new Promise(() => undefined);
  for (;;) {
    const closed = await closeSilent(Date.now());
    if (closed < closesMax) await delay(pollEveryMs);
  }
}

function inputEnds() {
  process.stdin.resume();
  return new Promise((resolve) => process.stdin.once('end', resolve));
}
