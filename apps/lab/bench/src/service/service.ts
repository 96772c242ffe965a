// The cost of the SDK to a service: sending heartbeats and events, reading summaries in a group; compared with two clients for Node.
import { KafkaTopicAdmin } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { randomUUID } from 'node:crypto';
import { measureApart } from '../apart.ts';
import type { Topics } from '../frame/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { type Described, joined, type LineUp, NO_PEERS, peerLineUp } from '../frame/line-up.ts';
import { type Cell, takeTurns } from '../frame/turns.ts';
import { lookUpConfluent } from '../peers/confluent.ts';
import { writeSummaries } from '../summaries.ts';
import { short } from '../text-table.ts';
import { servicePage, serviceRows, type ServiceTurn } from './service-page.ts';
import { type ServiceCost, type ServiceTask, type SessionsCost, WORKS } from '../tasks/service-task.ts';

interface ServiceContender extends Described {
  readonly isPeer: boolean;
  readonly serve: (task: ServiceTask) => Promise<ServiceCost>;
}

/** Events: records of each work, including summaries. Sessions: the senders of records, and objects of the SDK that beat. */
const DEFAULTS = { events: 1_000_000, sessions: 1_000_000, partitions: 4, repeats: 3 };
/** Share of the records, at the beginning, in which code gets warm and a group meets. */
const WARM_UP_SHARE = 0.2;
/** Keys sent to: as many as a service keeps. */
const KEYS = 10_000;

type ServiceGround = Ground<typeof DEFAULTS>;

export const service = framed({
  name: 'service',
  description:
    "what a service pays: CPU per record of the SDK's producer and reader beside kafkajs and Confluent's client",
  settings: (options) => over(DEFAULTS, options),
  lineUp: async (options): Promise<LineUp<ServiceContender>> =>
    joined(
      { ...NO_PEERS, contenders: OWN },
      peerLineUp('confluent', await lookUpConfluent(options), ({ serve }) => ({
        name: 'confluent',
        does: 'calls of 10 000 records, batches of up to 10 000 parsed; idempotent, as it is by default',
        isPeer: true,
        serve,
      })),
    ),
  conditions: ({ events, partitions }) =>
    `${short(events)} records of each work, the first ${100 * WARM_UP_SHARE} % not counted; ${partitions} partitions; acks of all`,
  measure: measureService,
  report: ({ turns, sessions }) => ({ rows: serviceRows(turns), page: servicePage(sessions) }),
});

const OWN: readonly ServiceContender[] = [
  {
    name: 'flatline',
    does: 'heartbeats: a call for each record, idempotent; summaries: one given after the other, positions committed',
    isPeer: false,
    serve: (task) => measureApart({ work: 'serve', args: ['flatline', task], what: 'flatline' }),
  },
  {
    name: 'kafkajs',
    does: 'calls of 10 000 records, not idempotent; eachBatch, values parsed, positions committed each second',
    isPeer: true,
    serve: (task) => measureApart({ work: 'serve', args: ['kafkajs', task], what: 'kafkajs' }),
  },
];

async function measureService(
  ground: ServiceGround,
  contenders: readonly ServiceContender[],
): Promise<{
  readonly turns: readonly ServiceTurn[];
  readonly sessions: SessionsCost;
  readonly failures: readonly string[];
}> {
  const { brokers, events: records, sessions, onProgress } = ground;
  const common = { brokers, records, warmUpRecords: Math.ceil(WARM_UP_SHARE * records), sessions: KEYS };
  const topic = await newTopic(ground);
  const outputs = await writtenOutputs(ground);
  const cells = WORKS.flatMap((work) =>
    contenders.map(({ name, isPeer, serve }): Cell<ServiceTurn> => ({
      name: `${name}, ${work}`,
      isPeer,
      take: async () => {
        const task = { ...common, work, topic: work === 'outputs' ? outputs : topic, group: randomUUID() };
        return { contender: name, work, ...(await serve(task)) };
      },
    })),
  );
  const { turns, failures } = await takeTurns(cells, ground);
  onProgress(`${short(sessions)} sessions`);
  const of = { brokers, topic, sessions };
  const held = await measureApart({
    work: 'sessions',
    args: [of],
    what: 'sessions',
    nodeOptions: ['--max-old-space-size=4096'],
  });
  return { turns: turns.flat(), sessions: held, failures };
}

async function newTopic({ connection, partitions }: Topics): Promise<string> {
  const topic = `bench-${randomUUID()}`;
  const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
  await admin.createTopics([{ topic, partitions, replicationFactor: -1, settings: {} }]);
  return topic;
}

/** A topic with a summary and a null for each session, like a processor's output. */
async function writtenOutputs(ground: ServiceGround): Promise<string> {
  ground.onProgress(`writing ${short(ground.events)} summaries`);
  const topic = await newTopic(ground);
  await writeSummaries(ground.connection, { topic, count: ground.events });
  return topic;
}
