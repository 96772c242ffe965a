// Heartbeats of living sessions at a steady rate, from a process of its own, until it is told to stop: `fork(this, [task as JSON])`.
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { PACE_MS, sendAtPace } from '../paced-process.ts';
import { sessionKeys } from '../throughput/session-keys.ts';
import { type BeatTask, LIVING_SEED } from './latency-scenario.ts';

const NO_VALUE = new Uint8Array(0);

const { brokers, topic, sessions, eventsPerSecond } = JSON.parse(process.argv[2]!) as BeatTask;
const connection = openCluster({ brokers, clientId: 'flatline-bench', clock: systemClock });
const producer = await BatchProducer.open({ clock: systemClock, connection, topic, lingerMs: PACE_MS });
const keys = sessionKeys(sessions, LIVING_SEED);
let next = 0;

async function send(count: number): Promise<void> {
  for (let beat = 0; beat < count; beat += 1) {
    const session = next;
    next = (next + 1) % sessions;
    const room = producer.add({ partition: session % producer.partitionCount, key: keys[session]!, value: NO_VALUE });
    if (room !== undefined) await room;
  }
}

await sendAtPace(eventsPerSecond, send, async () => {
  await producer.close();
  connection.close();
});
