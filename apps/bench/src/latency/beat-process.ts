// Heartbeats of living sessions at a steady rate, from a process of its own, until it is told to stop: `fork(this, [task as JSON])`.
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/runtime';
import { setTimeout as delay } from 'node:timers/promises';
import { sessionKeys } from '../throughput/session-keys.ts';
import { type BeatTask, LIVING_SEED } from './latency-scenario.ts';

const NO_VALUE = new Uint8Array(0);
const TURN_MS = 5;

const { brokers, topic, sessions, eventsPerSecond } = JSON.parse(process.argv[2]!) as BeatTask;
const connection = openCluster({ brokers, clientId: 'flatline-bench', clock: systemClock });
const producer = await BatchProducer.open({ clock: systemClock, connection, topic, lingerMs: TURN_MS });
const keys = sessionKeys(sessions, LIVING_SEED);
const stop = new AbortController();
process.once('message', () => {
  stop.abort();
});
const startedAtMs = performance.now();
let sent = 0;
while (!stop.signal.aborted) {
  const due = Math.floor(((performance.now() - startedAtMs) * eventsPerSecond) / 1_000);
  for (; sent < due; sent += 1) {
    const session = sent % sessions;
    const room = producer.add({ partition: session % producer.partitionCount, key: keys[session]!, value: NO_VALUE });
    if (room !== undefined) await room;
  }
  await delay(TURN_MS);
}
const eventsPerSecondSent = (1_000 * sent) / (performance.now() - startedAtMs);
await producer.close();
connection.close();
process.send!(eventsPerSecondSent);
process.disconnect();
