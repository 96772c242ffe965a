// A dispatcher of users who are online, through faults: messages go into the log, answers come from the directory, and each of them is
// judged by the log afterwards. `--sessions`: how many users; `--events`: messages a second.
import { type DurationMs, partitionOf } from '@flatline/base';
import { KafkaLogScan, type KafkaConnection } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { withApplication } from '../frame/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { removeTopics } from '../kafkajs-topic-removal.ts';
import { stormKey } from '../storm/close-count.ts';
import type { Application } from '../tasks/application.ts';
import { short } from '../text-table.ts';
import { writeRecords } from '../writing.ts';
import { Clients, type Served } from './clients.ts';
import { DISPATCHER_PAGE, dispatcherRows, type DispatcherTurn, figuresOf } from './dispatcher-page.ts';
import { DispatcherAtWork } from './dispatcher-at-work.ts';
import { EndedWatch } from './ended-watch.ts';
import { type Fault, FAULTS, Pair } from './faults.ts';
import { showInput } from './input-scan.ts';
import { AnswerJudge, type Judgement } from './judged-answers.ts';
import { firstGatewayOf, GATEWAYS, loginValue, LOST_GATEWAY, MESSAGE_BYTES } from './user-messages.ts';

const DEFAULTS = { sessions: 2_000_000, events: 500, partitions: 8, repeats: 3 };
/** Users are served so long before anything happens, and after it is over. */
const CALM_MS: DurationMs = 3_000;
const SEED = 7;
/** Least share of the users of the lost gateway who have not come by another one since. */
const LEFT_SHARE = 0.5;

export type DispatcherGround = Ground<typeof DEFAULTS>;

export interface FaultCell {
  readonly fault: Fault;
  readonly standbys: number;
}

export const dispatcher = framed({
  name: 'dispatcher',
  description:
    'users who are online, served through faults: time until they are answered again, wrong answers, lost messages (--sessions: users, --events: messages a second)',
  settings: (options) => over(DEFAULTS, options),
  conditions: ({ sessions, events, partitions }) =>
    `${short(sessions)} users on ${GATEWAYS} gateways, two instances, ${partitions} partitions; ${short(events)} messages a second of ${MESSAGE_BYTES} bytes, one in thirty out of order`,
  measure: measureDispatcher,
  report: ({ turns }) => ({ rows: dispatcherRows(turns), page: DISPATCHER_PAGE }),
});

async function measureDispatcher(ground: DispatcherGround): Promise<{ readonly turns: readonly DispatcherTurn[] }> {
  const cells = FAULTS.flatMap((fault) => [0, 1].map((standbys) => ({ fault, standbys })));
  const { turns } = await takeTurns(
    cells.map((cell) => ({
      name: `${cell.fault}, ${cell.standbys} standbys`,
      take: () => throughFault(ground, cell),
    })),
    ground,
  );
  return { turns: turns.flat() };
}

/** @throws Error if an instance does not start, or a message is answered too seldom to be told of */
export function throughFault(ground: DispatcherGround, cell: FaultCell): Promise<DispatcherTurn> {
  return withApplication(ground, async (application) => {
    const { connection, sessions } = ground;
    const pair = await Pair.start(application, cell.standbys);
    try {
      const { restoreMs: emptyRestoreMs } = await pair.untilShared(0);
      const taken = await logInAll(ground, application, pair);
      const urls = await pair.addresses();
      const work = await DispatcherAtWork.open({ connection, topic: application.topic, urls });
      const clients = new Clients(work, { users: sessions, perSecond: ground.events, seed: SEED });
      await delay(CALM_MS);
      const fromMs = performance.now();
      const endedMs = cell.fault === 'gateway lost' ? await loseGateway(ground, application, work) : undefined;
      const restoreMs = cell.fault === 'gateway lost' ? 0 : await pair.suffer(cell.fault);
      await delay(CALM_MS);
      ground.onProgress('the last answers');
      const served = await clients.stop();
      await work.close();
      ground.onProgress('the judge reads the input');
      const judgement = await judged(ground, application, served);
      for (const wrong of judgement.wrong) ground.onProgress(`wrong: ${wrong}`);
      const held = { users: sessions, ...taken, emptyRestoreMs };
      return { ...cell, ...figuresOf(served, judgement, { ...held, fromMs, restoreMs, endedMs }) };
    } finally {
      await pair.end();
      await removeTopics(ground.brokers, application.application, ground.onProgress);
    }
  });
}

/** Returns what they take: memory as the second half does, since buffers that more users do not need grow with the first. */
async function logInAll(
  { connection, sessions, onProgress }: DispatcherGround,
  { topic }: Application,
  pair: Pair,
): Promise<{ readonly memoryBytes: number; readonly changelogBytes: number }> {
  const half = Math.floor(sessions / 2);
  await logIn(connection, topic, { from: 0, to: half });
  await pair.untilShared(half);
  const halfBytes = await pair.memoryBytes();
  await logIn(connection, topic, { from: half, to: sessions });
  const { changelogBytes } = await pair.untilShared(sessions);
  onProgress(`${short(sessions)} users are online`);
  const perUser = ((await pair.memoryBytes()) - halfBytes) / (sessions - half);
  return { memoryBytes: perUser * sessions, changelogBytes };
}

/** A login of each, as fast as the broker takes them. */
async function logIn(
  connection: KafkaConnection,
  topic: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const values = new Map(
    Array.from({ length: GATEWAYS }, (_, user) => {
      const gateway = firstGatewayOf(user);
      return [gateway, loginValue({ number: 0, gateway })];
    }),
  );
  await writeRecords(connection, {
    topic,
    records: function* (partitions) {
      for (let user = from; user < to; user += 1) {
        const key = stormKey(user);
        yield { partition: partitionOf(key, partitions), key, value: values.get(firstGatewayOf(user))! };
      }
    },
  });
}

/** From the act until a reader has seen the last of its users end. */
async function loseGateway(
  { kafka, sessions }: DispatcherGround,
  { application, partitions }: Application,
  { directory }: DispatcherAtWork,
): Promise<DurationMs> {
  const watch = new EndedWatch(kafka, `${application}.output`, partitions);
  try {
    const askedAtMs = performance.now();
    await directory.evict({ attribute: 'gateway', equals: LOST_GATEWAY });
    return (await watch.quiet((sessions / GATEWAYS) * LEFT_SHARE)) - askedAtMs;
  } finally {
    await watch.close();
  }
}

async function judged(
  { kafka, connection, partitions }: DispatcherGround,
  { topic }: Application,
  { answers, acknowledged }: Served,
): Promise<Judgement> {
  const scan = new KafkaLogScan({ clock: systemClock, connection });
  const all = Array.from({ length: partitions }, (_, partition) => scan.bounds({ topic, partition }));
  const ends = (await Promise.all(all)).map(({ lastStableOffset }) => lastStableOffset);
  const judge = new AnswerJudge(answers, partitions);
  await showInput(kafka, topic, ends, judge);
  return judge.finish(acknowledged);
}
