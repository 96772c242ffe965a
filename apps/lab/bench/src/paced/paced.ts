// The cost of a heartbeat at the same rate for everyone: while catching up, a faster contender also has larger batches
// and more heartbeats of one session between two commits. Contenders take turns; each starts from the state it has kept.
import type { DurationMs } from '@flatline/base';
import { GroupProgress } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { startBeats, STEADY } from '../beats.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { type Described, streamsLineUp, threadsText } from '../frame/line-up.ts';
import { takeTurns } from '../frame/turns.ts';
import { type InputLook, lookAtInput } from '../input-delay.ts';
import {
  type KafkaStreamsContender,
  kafkaStreamsArguments,
  PACED_STREAMS,
  startStreams,
  streamsJvm,
} from '../peers/kafka-streams.ts';
import { POPULATION_SEED, type PopulationSite, openSite } from '../population/population-ground.ts';
import { processCpuMs, processMemory } from '../process-stat.ts';
import type { RunningContender } from '../tasks/instance-task.ts';
import { short } from '../text-table.ts';
import { pacedPage, pacedRows, type PacedTurn } from './paced-page.ts';

interface PacedContender extends Described {
  /**
   * Starts it, waits until it has restored its state, and leaves it running.
   * @param before sessions alive then. @param sessions alive in the course of the turn: caches are sized for them
   */
  start(site: PopulationSite, before: number, sessions: number): Promise<RunningContender>;
}

const POPULATIONS: readonly number[] = [1_000_000, 10_000_000];
const DEFAULTS = { eventsPerSecond: 100_000, repeats: 3, partitions: 4 };
/** Also that of the population's processor. */
const COMMIT_INTERVAL_MS: DurationMs = 200;
const LOOK_MS: DurationMs = 250;
const PATIENCE_MS: DurationMs = 600_000;
/** Most uncommitted events of a contender that has caught up. */
const BEHIND_MAX = 1_000;

type PacedGround = Ground<typeof DEFAULTS & { readonly populations: readonly number[] }>;

const FLATLINE: PacedContender = {
  name: 'flatline',
  does: 'exactly once, changelog, local store, timers',
  start: async (site, before) => {
    const instance = site.start();
    while ((await instance.look()).liveSessions < before) await delay(2 * LOOK_MS);
    return instance;
  },
};

export const paced = framed({
  name: 'paced',
  description: 'CPU per heartbeat at the same rate for everyone, 1 and 10 million live sessions, beside Kafka Streams',
  settings: (options) => ({
    ...over(DEFAULTS, options),
    populations: options.sessions === undefined ? POPULATIONS : [options.sessions],
  }),
  lineUp: (options) =>
    streamsLineUp<PacedContender, KafkaStreamsContender>(options, [FLATLINE], {
      variants: PACED_STREAMS,
      how: (each) => `exactly once, ${threadsText(each)}`,
      contender: (described, program, each) => ({
        ...described,
        start: ({ task }, _before, sessions) => {
          const given = { ...task, sessions, commitIntervalMs: COMMIT_INTERVAL_MS };
          const args = { ...kafkaStreamsArguments('run', each, given), leavesGroup: 1 };
          return startStreams(program, args, streamsJvm(sessions));
        },
      }),
    }),
  conditions: ({ eventsPerSecond, partitions }) =>
    `${short(eventsPerSecond)} bare heartbeats a second of random sessions, ${partitions} partitions, commits every ${COMMIT_INTERVAL_MS} ms`,
  measure: measurePaced,
  report: ({ turns }, { eventsPerSecond }) => ({ rows: pacedRows(turns, eventsPerSecond), page: pacedPage(STEADY) }),
});

interface SeatedContender {
  readonly contender: PacedContender;
  readonly site: PopulationSite;
  readonly sessions: number;
}

/** @throws Error if a contender fails, or does not get through the older input */
async function measurePaced(
  ground: PacedGround,
  contenders: readonly PacedContender[],
): Promise<{ readonly turns: readonly PacedTurn[] }> {
  const turns: PacedTurn[] = [];
  for (const sessions of ground.populations) turns.push(...(await measurePopulation(ground, contenders, sessions)));
  return { turns };
}

async function measurePopulation(
  ground: PacedGround,
  contenders: readonly PacedContender[],
  sessions: number,
): Promise<readonly PacedTurn[]> {
  const seats: SeatedContender[] = [];
  try {
    for (const contender of contenders) {
      ground.onProgress(`${contender.name}: opening ${sessions.toLocaleString('en')} sessions`);
      const each = { contender, site: await openSite(ground), sessions };
      seats.push(each);
      await fill(ground, each);
    }
    const cells = seats.map((each) => ({
      name: `${each.contender.name}: ${sessions.toLocaleString('en')} sessions`,
      take: (repeat: number) => takeTurn(ground, each, repeat),
    }));
    return (await takeTurns(cells, ground)).turns.flat();
  } finally {
    for (const { site } of seats) await site.end();
  }
}

async function fill(ground: PacedGround, seated: SeatedContender): Promise<void> {
  const { contender, site, sessions } = seated;
  const running = await contender.start(site, 0, sessions);
  await site.load.open(0, sessions);
  await site.load.flush();
  await caughtUp(ground, seated, running);
  await running.stop();
}

async function takeTurn(ground: PacedGround, seated: SeatedContender, repeat: number): Promise<PacedTurn> {
  const { contender, site, sessions } = seated;
  const { task, load } = site;
  const running = await contender.start(site, sessions, sessions);
  await caughtUp(ground, seated, running);
  const { brokers, eventsPerSecond } = ground;
  const written = load.beats + repeat + 1;
  const beats = startBeats({ brokers, topic: task.topic, seed: POPULATION_SEED, written, sessions, eventsPerSecond });
  try {
    await delay(STEADY.warmUpMs);
    const span = await measured(ground, seated, running);
    await beats.stop();
    return { contender: contender.name, sessions, ...span };
  } finally {
    beats.kill();
    await running.stop();
  }
}

async function measured(
  ground: PacedGround,
  seated: SeatedContender,
  running: RunningContender,
): Promise<Omit<PacedTurn, 'contender' | 'sessions'>> {
  const { brokerCpu } = ground;
  const { pid } = running;
  const first = await look(ground, seated, running);
  const [ownBefore, brokerBefore] = [processCpuMs(pid), brokerCpu.now()];
  await delay(STEADY.measuredMs);
  const [own, spent] = [processCpuMs(pid), brokerCpu.since(brokerBefore)];
  const rssBytes = processMemory(pid)?.rssBytes;
  const last = await look(ground, seated, running);
  if (own === undefined || ownBefore === undefined) throw new Error(`${seated.contender.name} ended, or is not seen`);
  return {
    events: sum(last.committed) - sum(first.committed),
    elapsedMs: last.atMs - first.atMs,
    cpuMs: own - ownBefore,
    ...spent,
    rssBytes,
    behind: sum(last.ends) - sum(last.committed),
  };
}

async function caughtUp(ground: PacedGround, seated: SeatedContender, running: RunningContender): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const { ends, committed } = await look(ground, seated, running);
    if (sum(ends) - sum(committed) <= BEHIND_MAX) return;
    if (performance.now() > until)
      throw new Error(`${seated.contender.name} has committed ${sum(committed)} of ${sum(ends)} records`);
    await delay(LOOK_MS);
  }
}

function look(ground: PacedGround, { site }: SeatedContender, { group }: RunningContender): Promise<InputLook> {
  const { topic, partitions } = site.task;
  const options = { clock: systemClock, connection: ground.connection };
  return lookAtInput(new GroupProgress(options, { topic, partitions, group }));
}

function sum(offsets: readonly number[]): number {
  return offsets.reduce((all, offset) => all + offset, 0);
}
