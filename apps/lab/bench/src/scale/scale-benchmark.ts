// What it costs to share the partitions of one input among several instances, each a process of its own.
import type { DurationMs } from '@flatline/base';
import { KafkaLogAdmin } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PIPELINE } from '../bench-topics.ts';
import { type HeldPartition, Member } from '../failover/member.ts';
import { type Application, withApplication } from '../frame/application.ts';
import type { Ground } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { type LoopDelay, worstDelay } from '../loop-delay.ts';
import { loadEvents } from '../throughput/event-load.ts';
import { VisibilityGate } from './kafkajs-visibility-gate.ts';
import { WARM_UP_EVENTS } from './scale-report.ts';

interface ScaleSettings {
  readonly events: number;
  readonly sessions: number;
  readonly partitions: number;
  readonly repeats: number;
  readonly instanceCounts: readonly number[];
}

/** Cost from the moment the input can be read until all of it is committed. */
export interface ScaleCost {
  readonly instances: number;
  readonly events: number;
  readonly elapsedMs: DurationMs;
  /** All instances together. */
  readonly cpuMs: DurationMs;
  /** The worst instance. */
  readonly loopDelay: LoopDelay;
}

type ScaleGround = Ground<ScaleSettings>;

/** No session falls silent during a run. */
const TIMEOUT_MS: DurationMs = 3_600_000;
/** No instance may be taken for dead because the machine is busy. */
const GROUP_SESSION_MS: DurationMs = 30_000;
const LOOK_MS: DurationMs = 20;
const PATIENCE_MS: DurationMs = 600_000;
const SEED = 1;

/** @throws Error where an instance ends, or does not get through. */
export async function measureScale(ground: ScaleGround): Promise<{ readonly costs: readonly ScaleCost[] }> {
  const cells = ground.instanceCounts.map((instances) => ({
    name: `${instances} of ${ground.instanceCounts.at(-1)} instances`,
    take: () => withApplication(ground, (application) => measureInstances(ground, application, instances)),
  }));
  return { costs: (await takeTurns(cells, ground)).turns.flat() };
}

async function measureInstances(
  ground: ScaleGround,
  { application, brokers, topic, partitions, stateDir }: Application,
  instances: number,
): Promise<ScaleCost> {
  const members: Member[] = [];
  try {
    const settings = {
      application,
      brokers,
      topic,
      standbys: 0,
      sessionTimeoutMs: GROUP_SESSION_MS,
      timeoutMs: TIMEOUT_MS,
    };
    for (let index = 0; index < instances; index += 1) {
      const instance = `instance-${index}`;
      members.push(await Member.start({ ...settings, instance, stateDir: join(stateDir, instance) }));
    }
    await Promise.all(members.map((member) => member.until((held) => isShare(held, partitions, instances))));
    return await measureMembers(ground, members, { topic, group: `${application}.${PIPELINE}` });
  } finally {
    await Promise.all(members.map((member) => member.leave()));
  }
}

async function measureMembers(
  { brokers, connection, partitions, sessions, events }: ScaleGround,
  members: readonly Member[],
  { topic, group }: { readonly topic: string; readonly group: string },
): Promise<ScaleCost> {
  const write = async (count: number): Promise<readonly number[]> => {
    const load = { format: 'bare' as const, events: count, sessions, partitions, seed: SEED };
    await loadEvents(connection, topic, load, () => undefined);
    return Promise.all(all.map((each) => admin.replicatedEnd(each)));
  };
  const admin = new KafkaLogAdmin({ clock: systemClock, connection });
  const all = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
  const committed = (ends: readonly number[]): Promise<void> =>
    Promise.race([
      untilCommitted(ends, (index) => admin.committedOffset(group, all[index]!)),
      ...members.map(({ ended }) => ended),
    ]);
  await committed(await write(WARM_UP_EVENTS * members.length));
  const gate = await VisibilityGate.shut(brokers, topic, partitions);
  const ends = await write(events);
  for (const member of members) member.beginCost();
  const startedAtMs = performance.now();
  await gate.open();
  await committed(ends);
  const elapsedMs = performance.now() - startedAtMs;
  const costs = await Promise.all(members.map((member) => member.cost()));
  return {
    instances: members.length,
    events,
    elapsedMs,
    cpuMs: costs.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    loopDelay: worstDelay(costs.map(({ loopDelay }) => loopDelay)),
  };
}

async function untilCommitted(
  ends: readonly number[],
  committedOffset: (index: number) => Promise<{ readonly offset: number } | undefined>,
): Promise<void> {
  const giveUpAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const offsets = await Promise.all(ends.map(async (_, index) => (await committedOffset(index))?.offset ?? 0));
    if (offsets.every((offset, index) => offset >= ends[index]!)) return;
    if (performance.now() > giveUpAtMs) throw new Error(`stuck at ${offsets.join(', ')} of ${ends.join(', ')}`);
    await delay(LOOK_MS);
  }
}

/** Whether an instance runs as many partitions as it would for good, give or take one. */
function isShare(held: readonly HeldPartition[], partitions: number, instances: number): boolean {
  const running = held.filter(({ role, state }) => role === 'owner' && state === 'running').length;
  return running === held.length && Math.abs(running - partitions / instances) < 1;
}
