// How long closes are late when an instance goes, with a standby of its partitions and without: two instances share a
// pipeline, sessions end on every partition all the time, and one instance is killed, or stopped.
import type { DurationMs } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Application, withApplication } from '../frame/application.ts';
import type { Ground } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { CloseWatch } from './close-watch.ts';
import {
  type FailoverFigures,
  type FailoverScenario,
  type FailoverSettings,
  PROBE_TIMEOUT_MS,
} from './failover-scenario.ts';
import { type HeldPartition, Member } from './member.ts';
import { pauseOf } from './pause.ts';
import { sessionKeys } from '../throughput/session-keys.ts';
import { loadSessions, Probes } from './probes.ts';

const SEED = 1;
/** Probes run for so long before the departure, and after the new owner runs. */
const SETTLED_MS: DurationMs = 3_000;
const LOOK_MS: DurationMs = 50;
const PATIENCE_MS: DurationMs = 60_000;

type FailoverGround = Ground<FailoverSettings>;

/** @throws Error where an instance does not start, or a session is not closed exactly once. */
export async function measureFailovers(
  ground: FailoverGround,
): Promise<{ readonly turns: readonly FailoverFigures[] }> {
  const { sessions, partitions, sessionTimeoutMs } = ground;
  const cells = (['kill', 'leave'] as const).flatMap((departure) =>
    [0, 1].map((standbys) => ({
      name: `${departure}, ${standbys} standbys`,
      take: () =>
        withApplication(ground, (application) =>
          measureFailover(ground, application, { departure, standbys, sessions, partitions, sessionTimeoutMs }),
        ),
    })),
  );
  return { turns: (await takeTurns(cells, ground)).turns.flat() };
}

async function measureFailover(
  ground: FailoverGround,
  { application, brokers, topic, stateDir }: Application,
  scenario: FailoverScenario,
): Promise<FailoverFigures> {
  const { kafka, connection } = ground;
  const { standbys, sessionTimeoutMs } = scenario;
  const members: Member[] = [];
  const start = async (instance: string): Promise<Member> => {
    const own = { instance, stateDir: join(stateDir, instance) };
    const member = await Member.start({ application, topic, standbys, sessionTimeoutMs, brokers, ...own });
    members.push(member);
    return member;
  };
  try {
    await loadSessions(connection, topic, sessionKeys(scenario.sessions, SEED));
    const pair = await startPair(start, scenario);
    return await watchDeparture({ kafka, application, topic, connection }, pair, scenario);
  } finally {
    await Promise.all(members.map((member) => member.end()));
  }
}

interface Pair {
  readonly leaver: Member;
  readonly heir: Member;
}

/** Both run their half, and stand by for the other's where they are to. */
async function startPair(
  start: (instance: string) => Promise<Member>,
  { partitions, sessions, standbys }: FailoverScenario,
): Promise<Pair> {
  const leaver = await start('a');
  const live = (held: readonly HeldPartition[]): number => held.reduce((sum, { liveEntries }) => sum + liveEntries, 0);
  await leaver.until((held) => running(held) === partitions && live(held) >= sessions);
  const heir = await start('b');
  const isShared = (held: readonly HeldPartition[]): boolean =>
    Math.abs(2 * running(held) - partitions) <= 1 &&
    held.length === (standbys > 0 ? partitions : running(held)) &&
    held.every(({ role, state, lag }) => (role === 'owner' ? state === 'running' : state === 'following' && lag === 0));
  await Promise.all([leaver.until(isShared), heir.until(isShared)]);
  return { leaver, heir };
}

type Place = Pick<FailoverGround, 'kafka' | 'connection'> & Pick<Application, 'application' | 'topic'>;

async function watchDeparture(
  place: Place,
  { leaver, heir }: Pair,
  scenario: FailoverScenario,
): Promise<FailoverFigures> {
  const { kafka, application, topic, connection } = place;
  const { partitions, departure } = scenario;
  const moved = (await leaver.holds()).flatMap(({ role, partition }) => (role === 'owner' ? [partition] : []));
  const watch = new CloseWatch(kafka, `${application}.output`, partitions);
  try {
    const probes = new Probes(connection, topic);
    await delay(SETTLED_MS);
    const departedAt = systemClock.wallMs();
    leaver.depart(departure);
    const held = await heir.until((found) => running(found) === partitions);
    await delay(SETTLED_MS);
    const count = (await probes.stop()) / partitions;
    await allClosed(watch, partitions, count);
    const taken = held.filter(({ partition }) => moved.includes(partition));
    const pauses = moved.map((partition) => pauseOf(watch.of(partition), departedAt, PROBE_TIMEOUT_MS));
    return {
      ...scenario,
      movedPartitions: moved.length,
      firstCloseMs: departure === 'kill' ? Math.max(...pauses.map(({ gapEndsMs }) => gapEndsMs)) : undefined,
      longestGapMs: Math.max(...pauses.map(({ longestGapMs }) => longestGapMs)),
      latestMs: Math.max(...pauses.map(({ latestMs }) => latestMs)),
      restoreMs: Math.max(...taken.map(({ restoreMs = 0 }) => restoreMs)),
      takeoverMs: Math.max(...taken.map(({ takeoverMs = 0 }) => takeoverMs)),
      closes: count * partitions,
    };
  } finally {
    await watch.close();
  }
}

/** Waits until every probe is closed. @throws Error where one is missing, or closed twice. */
async function allClosed(watch: CloseWatch, partitions: number, count: number): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (let partition = 0; partition < partitions; partition += 1) {
    while (watch.of(partition).length < count && performance.now() < until) await delay(LOOK_MS);
    await delay(PROBE_TIMEOUT_MS / partitions);
    const closes = watch.of(partition);
    const sessions = new Set(closes.map(({ sessionId }) => sessionId));
    if (closes.length !== count || sessions.size !== count)
      throw new Error(`${count} sessions, ${sessions.size} closed, by ${closes.length} records`);
  }
}

function running(held: readonly HeldPartition[]): number {
  return held.filter(({ role, state }) => role === 'owner' && state === 'running').length;
}
