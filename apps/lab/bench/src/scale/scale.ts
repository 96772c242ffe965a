// The cost of sharing the partitions of one input among several instances, each a separate process.
import type { DurationMs } from '@flatline/base';
import { GroupProgress, KafkaLogAdmin } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { join } from 'node:path';
import { withApplication } from '../frame/application.ts';
import { type Application } from '../tasks/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { untilCommitted } from '../input-commits.ts';
import { worstDelay } from '../loop-delay.ts';
import { type AssignedPartition, Instance } from '../processor/instance.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { short } from '../text-table.ts';
import { loadEvents } from '../throughput/event-load.ts';
import { VisibilityGate } from './kafkajs-visibility-gate.ts';
import { SCALE_PAGE, type ScaleCost, scaleRows, WARM_UP_EVENTS } from './scale-page.ts';

const DEFAULTS = { events: 6_000_000, sessions: 200_000, partitions: 8, repeats: 3 };
const INSTANCE_COUNTS: readonly number[] = [1, 2, 4];
/** A busy machine must not make an instance look dead. */
const GROUP_SESSION_MS: DurationMs = 30_000;
const SEED = 1;

type ScaleGround = Ground<typeof DEFAULTS & { readonly instanceCounts: readonly number[] }>;

export const scale = framed({
  name: 'scale',
  description: 'events per CPU second of one instance, of two and of four that share the partitions',
  settings: (options) => ({ ...over(DEFAULTS, options), instanceCounts: INSTANCE_COUNTS }),
  conditions: ({ events, sessions, partitions }) =>
    `${short(events)} bare heartbeats of ${short(sessions)} sessions, ${partitions} partitions`,
  measure: measureScale,
  report: ({ costs }) => ({ rows: scaleRows(costs), page: SCALE_PAGE }),
});

/** @throws Error if an instance ends, or does not get through. */
async function measureScale(ground: ScaleGround): Promise<{ readonly costs: readonly ScaleCost[] }> {
  const cells = ground.instanceCounts.map((instances) => ({
    name: `${instances} of ${ground.instanceCounts.at(-1)} instances`,
    take: () => withApplication(ground, (application) => measureInstances(ground, application, instances)),
  }));
  return { costs: (await takeTurns(cells, ground)).turns.flat() };
}

async function measureInstances(ground: ScaleGround, application: Application, count: number): Promise<ScaleCost> {
  const { topic, partitions, stateDir } = application;
  const instances: Instance[] = [];
  try {
    const task = { ...application, sessionTimeoutMs: GROUP_SESSION_MS, timeoutMs: NEVER_MS };
    for (let index = 0; index < count; index += 1) {
      const instance = `instance-${index}`;
      instances.push(new Instance({ ...task, instance, stateDir: join(stateDir, instance) }));
      await instances.at(-1)!.assigned();
    }
    await Promise.all(instances.map((each) => each.until((assigned) => isShare(assigned, partitions, count))));
    return await measureMembers(ground, instances, topic);
  } finally {
    await Promise.all(instances.map((each) => each.stop()));
  }
}

async function measureMembers(
  { brokers, connection, partitions, sessions, events }: ScaleGround,
  members: readonly Instance[],
  topic: string,
): Promise<ScaleCost> {
  const write = async (count: number): Promise<readonly number[]> => {
    const load = { format: 'bare' as const, events: count, sessions, partitions, seed: SEED };
    await loadEvents(connection, topic, load);
    return Promise.all(all.map((each) => admin.replicatedEnd(each)));
  };
  const admin = new KafkaLogAdmin({ clock: systemClock, connection });
  const all = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
  const { group } = members[0]!;
  const progress = new GroupProgress({ clock: systemClock, connection }, { group, topic, partitions });
  const committed = (ends: readonly number[]): Promise<void> =>
    Promise.race([untilCommitted(ends, progress), ...members.map(({ ended }) => ended)]);
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

/** True if the instance runs its final share of the partitions, give or take one. */
function isShare(assigned: readonly AssignedPartition[], partitions: number, instances: number): boolean {
  const running = assigned.filter(({ role, state }) => role === 'owner' && state === 'running').length;
  return running === assigned.length && Math.abs(running - partitions / instances) < 1;
}
