// Deliveries of outputs that all lie there when the notifier starts, beside a loop of bare requests to the same sink.
import { rmSync } from 'node:fs';
import { measureApart } from '../apart.ts';
import type { Ground } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { removeTopics } from '../kafkajs-topic-removal.ts';
import { Instance } from '../processor/instance.ts';
import { writeSummaries } from '../summaries.ts';
import { openNotifying } from './notifying.ts';
import type { PostsCost } from './posts-task.ts';
import { Sink } from './sink.ts';

export interface DeliverySettings {
  /** Deliveries of a turn. */
  readonly events: number;
  readonly warmUpShare: number;
  /** Requests under way to the sink (`maxInFlight`). */
  readonly atOnce: number;
  readonly partitions: number;
  readonly repeats: number;
}

export interface DeliveryTurn extends PostsCost {
  readonly contender: string;
  /** Requests beyond one for each output. */
  readonly again: number;
}

export async function measureDeliveries(ground: Ground<DeliverySettings>): Promise<readonly DeliveryTurn[]> {
  const sink = await Sink.open();
  try {
    const cells = [
      { name: 'bare undici', take: () => barePosts(ground, sink) },
      { name: 'flatline', take: () => notified(ground, sink) },
    ];
    const { turns } = await takeTurns(cells, ground);
    return turns.flat();
  } finally {
    sink.close();
  }
}

async function barePosts({ events, warmUpShare, atOnce }: DeliverySettings, { url }: Sink): Promise<DeliveryTurn> {
  const task = { url, requests: events, warmUpRequests: Math.floor(warmUpShare * events), atOnce };
  const cost = await measureApart({ work: 'post', args: [task], what: 'bare-undici' });
  return { contender: 'bare undici', ...cost, again: 0 };
}

async function notified(ground: Ground<DeliverySettings>, sink: Sink): Promise<DeliveryTurn> {
  const { connection, brokers, events, warmUpShare, atOnce, onProgress } = ground;
  const { task, outputs } = await openNotifying(ground, sink.url, { maxInFlight: atOnce });
  await writeSummaries(connection, { topic: outputs, count: events });
  const before = await sink.taken();
  const instance = await Instance.alone(task);
  try {
    const from = await sink.until(before + Math.floor(warmUpShare * events), instance.ended);
    instance.beginCpu();
    const startedAtMs = performance.now();
    const to = await sink.until(before + events, instance.ended);
    const elapsedMs = performance.now() - startedAtMs;
    await settled(instance);
    const cpuMs = await instance.cpuMs();
    await instance.stop();
    const again = (await sink.taken()) - before - events;
    return { contender: 'flatline', posts: to - from, elapsedMs, cpuMs, again };
  } finally {
    await instance.kill();
    rmSync(task.stateDir, { recursive: true, force: true });
    await removeTopics(brokers, task.application, onProgress);
  }
}

/** Waits until the outcomes of all deliveries are committed, and none is left. */
async function settled(instance: Instance): Promise<void> {
  await instance.until((assigned) =>
    assigned.every(
      ({ liveEntries, lag, position, committedPosition }) =>
        liveEntries === 0 && lag === 0 && position === committedPosition,
    ),
  );
}
