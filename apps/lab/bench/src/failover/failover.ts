// How late closes are when an instance departs while sessions end on every partition all the time. Either two share a pipeline, with
// standbys and without, and one is killed or stopped; or a single one is killed or stopped, and started again at once.
import type { DurationMs, Millis } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CloseWatch, type SeenClose } from '../close-watch.ts';
import { withApplication } from '../frame/application.ts';
import { type Application } from '../tasks/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { chart, type Page, verdict } from '../frame/page.ts';
import { takeTurns } from '../frame/turns.ts';
import { loadSessions, PROBE_TIMEOUT_MS, Probes } from '../probes.ts';
import { type AssignedPartition, Instance } from '../processor/instance.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { short } from '../text-table.ts';

interface FailoverScenario {
  /** How the measured instance departs: killed or stopped, for good or to be started again under its name. */
  readonly departure: 'kill' | 'leave' | 'kill, restart' | 'leave, restart';
  readonly standbys: number;
  /** Sessions alive throughout: the state that moves. */
  readonly sessions: number;
  readonly partitions: number;
  readonly sessionTimeoutMs: DurationMs;
}

interface FailoverFigures extends FailoverScenario {
  readonly movedPartitions: number;
  /** From a kill, or the end of a process that is started again, to the next close seen by a read_committed reader; slowest partition. */
  readonly firstCloseMs: DurationMs | undefined;
  /** From the end of a process that is started again until it answers, and until it runs all partitions; precise to one look. */
  readonly answersMs: DurationMs | undefined;
  readonly runsMs: DurationMs | undefined;
  /** The longest time without a close on a moved partition, where one was due every PROBE_EVERY_MS. */
  readonly longestGapMs: DurationMs;
  /** The latest close: from its deadline until it is seen. */
  readonly latestMs: DurationMs;
  /** By the new owner's own account: from the assignment, and from the fence, to running; the slowest partition. */
  readonly restoreMs: DurationMs;
  readonly takeoverMs: DurationMs;
  readonly closes: number;
}

const DEFAULTS = { sessions: 1_000_000, partitions: 4, repeats: 1, sessionTimeoutMs: 10_000 };
const SEED = 1;
const LEAVER = 'a';
/** Time for which probes run before the departure, and after the new owner runs. */
const SETTLED_MS: DurationMs = 3_000;
const LOOK_MS: DurationMs = 50;
/** The project's goal for a static member. */
const KILL_COSTS_MAX_MS: DurationMs = 1_000;
const PATIENCE_MS: DurationMs = 60_000;

type FailoverGround = Ground<typeof DEFAULTS>;

const PAGE: Page<FailoverFigures> = {
  columns: [
    ['departure', ({ departure }) => departure],
    ['standbys', ({ standbys }) => String(standbys)],
    ['answers ms', ({ answersMs }) => ifTimed(answersMs)],
    ['runs ms', ({ runsMs }) => ifTimed(runsMs)],
    ['first close ms', ({ firstCloseMs }) => ifTimed(firstCloseMs)],
    ['longest gap ms', ({ longestGapMs }) => short(longestGapMs)],
    ['latest close ms', ({ latestMs }) => short(latestMs)],
    ['restore ms', ({ restoreMs }) => short(restoreMs)],
    ['fenced ms', ({ takeoverMs }) => short(takeoverMs)],
  ],
  note: [
    'answers, runs: from the end of a process that is started again; the times of others are from the departure. restore: from the',
    'assignment, and of that fenced: from the fence, until the slowest partition runs.',
  ].join('\n'),
  verdicts: restartVerdict,
  charts: (rows) => [
    chart(rows, {
      name: 'gap',
      title: 'the longest time without a close on a partition that moved, ms; less is better',
      label: ({ departure, standbys }) => (standbys > 0 ? `${departure}, standby` : departure),
      isOurs: () => true,
      bar: ({ longestGapMs: ms }) => ({ median: ms, min: ms, max: ms }),
    }),
  ],
};

function ifTimed(ms: DurationMs | undefined): string {
  return ms === undefined ? '–' : short(ms);
}

/** Compares the cost of a kill with that of a clean restart, by medians. */
export function restartVerdict(
  turns: readonly Pick<FailoverFigures, 'departure' | 'firstCloseMs'>[],
): readonly string[] {
  const of = (wanted: FailoverScenario['departure']): Spread | undefined => {
    const times = turns.flatMap(({ departure, firstCloseMs = [] }) => (departure === wanted ? firstCloseMs : []));
    return times.length === 0 ? undefined : spreadOf(times);
  };
  const [killed, left] = [of('kill, restart'), of('leave, restart')];
  if (killed === undefined || left === undefined) return [];
  const moreMs = killed.median - left.median;
  const most = `at most ${KILL_COSTS_MAX_MS} ms: ${verdict(moreMs <= KILL_COSTS_MAX_MS)}`;
  return [
    `first close after a kill and a restart: ${moreMs.toFixed(0)} ms later than after a stop and a restart, ${most}`,
  ];
}

export const failover = framed({
  name: 'failover',
  description: 'how late closes are when an instance is killed, leaves or restarts, with a standby and without',
  settings: (options) => over(DEFAULTS, options),
  measure: measureFailovers,
  report: ({ turns }) => ({ rows: turns, page: PAGE }),
});

/** @throws Error if an instance does not start, or a session is not closed exactly once. */
async function measureFailovers(ground: FailoverGround): Promise<{ readonly turns: readonly FailoverFigures[] }> {
  const { sessions, partitions, sessionTimeoutMs } = ground;
  const cells = (['kill', 'leave', 'kill, restart', 'leave, restart'] as const).flatMap((departure) =>
    (returns({ departure }) ? [0] : [0, 1]).map((standbys) => ({
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
  application: Application,
  scenario: FailoverScenario,
): Promise<FailoverFigures> {
  const { standbys, sessionTimeoutMs, sessions } = scenario;
  const instances: Instance[] = [];
  const start = (instance: string): Instance => {
    const stateDir = join(application.stateDir, instance);
    const task = { ...application, instance, stateDir, standbys, sessionTimeoutMs, timeoutMs: PROBE_TIMEOUT_MS };
    instances.push(new Instance(task));
    return instances.at(-1)!;
  };
  try {
    await loadSessions(ground.connection, application.topic, { sessions, seed: SEED });
    const cast = await startAll(start, scenario);
    return await watchDeparture(ground, application, { ...cast, again: () => start(LEAVER) }, scenario);
  } finally {
    await Promise.all(instances.map((instance) => instance.kill()));
  }
}

/** True if it is its own heir, while the group still counts it as a member: no other instance and no standby takes part. */
function returns({ departure }: Pick<FailoverScenario, 'departure'>): boolean {
  return departure.endsWith('restart');
}

interface Cast {
  readonly leaver: Instance;
  /** undefined: the same instance, started again. */
  readonly heir: Instance | undefined;
}

/** Each runs its part, and stands by for the other's if the scenario says so. */
async function startAll(start: (instance: string) => Instance, scenario: FailoverScenario): Promise<Cast> {
  const { partitions, sessions, standbys } = scenario;
  const leaver = start(LEAVER);
  const live = (assigned: readonly AssignedPartition[]): number =>
    assigned.reduce((sum, { liveEntries }) => sum + liveEntries, 0);
  await leaver.until((assigned) => running(assigned) === partitions && live(assigned) >= sessions);
  if (returns(scenario)) return { leaver, heir: undefined };
  const heir = start('b');
  const isShared = (assigned: readonly AssignedPartition[]): boolean =>
    Math.abs(2 * running(assigned) - partitions) <= 1 &&
    assigned.length === (standbys > 0 ? partitions : running(assigned)) &&
    assigned.every(({ role, state, lag }) =>
      role === 'owner' ? state === 'running' : state === 'following' && lag === 0,
    );
  await Promise.all([leaver.until(isShared), heir.until(isShared)]);
  return { leaver, heir };
}

async function watchDeparture(
  { kafka, connection }: FailoverGround,
  { application, topic }: Application,
  { leaver, heir, again }: Cast & { readonly again: () => Instance },
  scenario: FailoverScenario,
): Promise<FailoverFigures> {
  const { partitions, departure } = scenario;
  const moved = (await leaver.assigned()).flatMap(({ role, partition }) => (role === 'owner' ? [partition] : []));
  const watch = new CloseWatch(kafka, `${application}.output`, partitions);
  try {
    const probes = new Probes(connection, topic);
    await delay(SETTLED_MS);
    const departedAt = systemClock.wallMs();
    if (heir !== undefined) leaver.depart(departure === 'kill' ? 'kill' : 'leave');
    else await (departure === 'kill, restart' ? leaver.kill() : leaver.stop());
    // The time of a stop is no part of a restart.
    const leavingMs = heir === undefined ? systemClock.wallMs() - departedAt : 0;
    const goneAtMs = performance.now();
    const next = heir ?? again();
    await next.assigned();
    const answersMs = performance.now() - goneAtMs;
    const assigned = await next.until((found) => running(found) === partitions);
    const runsMs = performance.now() - goneAtMs;
    await delay(SETTLED_MS);
    const count = (await probes.stop()) / partitions;
    await allClosed(watch, partitions, count);
    const taken = assigned.filter(({ partition }) => moved.includes(partition));
    const pauses = moved.map((partition) => pauseOf(watch.of(partition), departedAt, PROBE_TIMEOUT_MS));
    return {
      ...scenario,
      movedPartitions: moved.length,
      firstCloseMs:
        departure !== 'leave' ? Math.max(...pauses.map(({ gapEndsMs }) => gapEndsMs)) - leavingMs : undefined,
      answersMs: heir === undefined ? answersMs : undefined,
      runsMs: heir === undefined ? runsMs : undefined,
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

/** Waits until every probe is closed. @throws Error if one is missing, or closed twice. */
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

function running(assigned: readonly AssignedPartition[]): number {
  return assigned.filter(({ role, state }) => role === 'owner' && state === 'running').length;
}

interface Pause {
  readonly longestGapMs: DurationMs;
  /** From the departure to the close that ends the longest gap. */
  readonly gapEndsMs: DurationMs;
  /** From the deadline of the latest close until it is seen. */
  readonly latestMs: DurationMs;
}

/** The gap in one partition's closes caused by a departure, from `marginMs` before it. Without one, closes follow each other steadily. */
export function pauseOf(closes: readonly SeenClose[], departedAt: Millis, marginMs: DurationMs): Pause {
  const around = closes.filter(({ seenAt }) => seenAt >= departedAt - marginMs);
  const gaps = around.slice(1).map(({ seenAt }, i) => ({ ms: seenAt - around[i]!.seenAt, endsAt: seenAt }));
  const longest = gaps.reduce((most, gap) => (gap.ms > most.ms ? gap : most), { ms: 0, endsAt: departedAt });
  return {
    longestGapMs: longest.ms,
    gapEndsMs: longest.endsAt - departedAt,
    latestMs: Math.max(0, ...around.map(({ seenAt, deadlineAt }) => seenAt - deadlineAt)),
  };
}
