// Very many sessions that fall silent at once, while others live on: the rate of the closes, and the delay of the others'
// heartbeats meanwhile. Each contender has an input of its own, since its sessions must fall due while it runs.
import { type DurationMs, messageOf } from '@flatline/base';
import type { ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { startBeats } from '../beats.ts';
import type { Application } from '../tasks/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { type Described, streamsLineUp, threadsText } from '../frame/line-up.ts';
import { takeApplicationTurns } from '../frame/turns.ts';
import { inputDelayOf, InputWatch } from '../input-delay.ts';
import {
  type KafkaStreamsContender,
  kafkaStreamsArguments,
  prompt,
  PROMPT_STREAMS,
  startStreams,
  streamsJvm,
  streamsPace,
} from '../peers/kafka-streams.ts';
import { Instance } from '../processor/instance.ts';
import type { RunningContender } from '../tasks/instance-task.ts';
import { short } from '../text-table.ts';
import { NO_VALUE, writeRecords } from '../writing.ts';
import { CloseCount, stormKey } from './close-count.ts';
import { STORM_PAGE, stormRows, type StormTurn } from './storm-page.ts';

interface StormContender extends Described {
  /** Starts it, waits until it runs, and leaves it running. @param sessions alive at the same time */
  start(application: Application, timeoutMs: DurationMs, sessions: number): Promise<RunningContender>;
}

const DEFAULTS = {
  /** Sessions that fall silent together. */
  sessions: 1_000_000,
  partitions: 4,
  /** Number of other sessions, which live on. */
  livingSessions: 100_000,
  heartbeatsPerSecond: 20_000,
  repeats: 3,
};
/** Time for a contender to start, and to read each session's heartbeat: 20 000 a second. */
const START_MS: DurationMs = 15_000;
const READ_MS_PER_SESSION = 0.05;
/** Used unless the name says otherwise. */
const STREAMS_COMMIT_INTERVAL_MS: DurationMs = 100;
/** Measurement of cost and delays begins this long before the first deadline. */
const LEAD_MS: DurationMs = 1_000;
/** A contender that has not closed all by then is measured by what it has closed. */
const DRAIN_MAX_MS: DurationMs = 180_000;
const LOOK_MS: DurationMs = 20;
/** Wait after the last close, so that an extra one would be seen. */
const TAIL_MS: DurationMs = 1_000;
/** Seed of the keys of the sessions that live on. */
const LIVING_SEED = 3;

type StormGround = Ground<typeof DEFAULTS & { readonly timeoutMs: DurationMs }>;

const FLATLINE: StormContender = {
  name: 'flatline',
  does: 'exactly once, by default commits of closes after 20 ms; changelog, local store, JSON summaries and tombstones, unpacked',
  // Output uncompressed, like that of the others' producers: compression would count as something else.
  start: (application, timeoutMs) => Instance.alone({ ...application, timeoutMs, compression: 'none' }),
};
/** Beside the former, since that is how it runs unless told otherwise; the others' default is unpacked output. */
const PACKED: StormContender = {
  name: 'flatline packed',
  does: 'the same with its output packed (gzip), as by default',
  start: (application, timeoutMs) => Instance.alone({ ...application, timeoutMs }),
};
const STREAMS: readonly KafkaStreamsContender[] = [
  ...PROMPT_STREAMS,
  prompt('ks-memory 1 s', 'in-memory', 1_000, 'store in memory, all keys scanned each second'),
];

export const storm = framed({
  name: 'storm',
  description:
    "sessions that fall silent together while others live on: closes per second, the others' delay, beside Kafka Streams' punctuator",
  settings: (options) => {
    const settings = over(DEFAULTS, options);
    // Long enough for every contender to read all before the first is due.
    return { ...settings, timeoutMs: START_MS + READ_MS_PER_SESSION * settings.sessions };
  },
  lineUp: (options) =>
    streamsLineUp<StormContender, KafkaStreamsContender>(options, [FLATLINE, PACKED], {
      variants: STREAMS,
      how: (each) =>
        `exactly once, ${threadsText(each)}, ${streamsPace(each, STREAMS_COMMIT_INTERVAL_MS)}, output unpacked`,
      contender: (described, program, each) => ({
        ...described,
        start: (application, timeoutMs, sessions) => {
          const task = { ...application, sessions, commitIntervalMs: STREAMS_COMMIT_INTERVAL_MS };
          const args = { ...kafkaStreamsArguments('run', each, task), timeoutMs };
          return startStreams(program, args, streamsJvm(sessions));
        },
      }),
    }),
  conditions: ({ sessions, partitions, livingSessions, heartbeatsPerSecond }) =>
    `${short(sessions)} sessions due at once on ${partitions} partitions, while ${short(livingSessions)} others send ` +
    `${short(heartbeatsPerSecond)} heartbeats/s`,
  measure: (ground: StormGround, contenders: readonly StormContender[]) =>
    takeApplicationTurns(
      { ...ground, warmsUp: true },
      contenders.map((contender) => ({
        name: contender.name,
        take: (application) => weather(ground, contender, application),
      })),
    ),
  report: ({ turns }) => ({ rows: stormRows(turns), page: STORM_PAGE }),
});

async function weather(ground: StormGround, contender: StormContender, application: Application): Promise<StormTurn> {
  const { brokers, sessions, livingSessions, heartbeatsPerSecond, timeoutMs } = ground;
  const { topic } = application;
  const living = { seed: LIVING_SEED, sessions: livingSessions, eventsPerSecond: heartbeatsPerSecond };
  const beats = startBeats({ brokers, topic, ...living });
  let running: RunningContender | undefined;
  try {
    const firstBeatAt = systemClock.wallMs();
    await loadStorm(ground, topic);
    running = await contender.start(application, timeoutMs, sessions + livingSessions);
    return await measureDrain(ground, contender, { ...application, running, dueAt: firstBeatAt + timeoutMs });
  } finally {
    beats.kill();
    // The figures already tell how it ended.
    await running?.stop().catch(() => undefined);
  }
}

/** One heartbeat of each session, as fast as the broker takes them. */
async function loadStorm({ connection, sessions }: StormGround, topic: string): Promise<void> {
  function* records(partitions: number): Iterable<ProducedRecord> {
    for (let session = 0; session < sessions; session += 1)
      yield { partition: session % partitions, key: stormKey(session), value: NO_VALUE };
  }
  await writeRecords(connection, { topic, records });
}

interface Started extends Application {
  readonly running: RunningContender;
  /** Before the first deadline. */
  readonly dueAt: number;
}

async function measureDrain(
  { kafka, connection, brokerCpu, partitions, sessions }: StormGround,
  contender: StormContender,
  { running, application, topic, dueAt }: Started,
): Promise<StormTurn> {
  const count = new CloseCount(kafka, `${application}.output`, partitions, sessions);
  const input = new InputWatch(connection, { topic, partitions, group: running.group });
  try {
    await delay(Math.max(0, dueAt - LEAD_MS - systemClock.wallMs()));
    running.beginCost();
    const fromMs = performance.now();
    const brokerBefore = brokerCpu.now();
    const failure = await drained(count, sessions, running, dueAt + DRAIN_MAX_MS);
    const toMs = performance.now();
    const spent = brokerCpu.since(brokerBefore);
    const cost = failure === undefined ? await running.cost() : { cpuMs: undefined, loopDelay: undefined };
    await delay(TAIL_MS);
    return {
      contender: contender.name,
      failure,
      closes: count.closes,
      closedTwice: count.closedTwice,
      closedAlive: count.closedAlive,
      dueWithinMs: count.lastDeadlineAt - count.firstDeadlineAt,
      drainMs: count.lastSeenAt - count.firstDeadlineAt,
      ...cost,
      ...spent,
      inputDelay: inputDelayOf(await input.stop(), fromMs, toMs),
    };
  } finally {
    await input.stop();
    await count.close();
  }
}

/** Waits until all are closed. Returns the error that came first, if any. */
async function drained(
  count: CloseCount,
  sessions: number,
  { ended }: RunningContender,
  until: number,
): Promise<string | undefined> {
  let died: string | undefined;
  ended.catch((error: unknown) => {
    died = messageOf(error);
  });
  while (count.closes < sessions) {
    if (count.failure !== undefined) throw count.failure;
    if (died !== undefined) return died;
    if (systemClock.wallMs() > until) return `stopped after ${DRAIN_MAX_MS / 1_000} s`;
    await delay(LOOK_MS);
  }
  return undefined;
}
