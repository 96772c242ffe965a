// A service with the SDK, written as its page advises.
import { connect, type Heartbeats, type SessionId } from '@flatline/client';
import { collectGarbage } from '../process-stat.ts';
import { eventOf, type ServiceCost, ServiceMeter, type SessionsCost, type ServiceTask } from '../tasks/service-task.ts';

/** Records sent before the event loop gets its turn, as it does between the requests that a service answers. */
const SAID_MAX = 1_000;
/** Sessions started before their records are awaited. */
const STARTED_MAX = 20_000;
const HOUR_MS = 3_600_000;

export async function serveWithFlatline(task: ServiceTask): Promise<ServiceCost> {
  return task.work === 'outputs' ? read(task) : send(task);
}

async function send({ work, brokers, topic, records, warmUpRecords, sessions }: ServiceTask): Promise<ServiceCost> {
  const flatline = connect({ brokers });
  const heartbeats = await flatline.heartbeats({ topic });
  const say = (id: SessionId, index: number): Promise<void> | undefined =>
    work === 'beats' ? heartbeats.beat(id) : heartbeats.event(id, eventOf(index));
  const ids = Array.from({ length: sessions }, (_, session) => `session-${session}`);
  const meter = new ServiceMeter();
  await sayAll(heartbeats, warmUpRecords, (index) => say(ids[index % sessions]!, index));
  meter.start();
  await sayAll(heartbeats, records - warmUpRecords, (index) => say(ids[index % sessions]!, index));
  const cost = meter.cost(records - warmUpRecords);
  await flatline.close();
  return cost;
}

async function sayAll(
  heartbeats: Heartbeats,
  records: number,
  say: (index: number) => Promise<void> | undefined,
): Promise<void> {
  for (let index = 0; index < records; index += 1) {
    const room = say(index);
    if (room !== undefined) await room;
    if (index % SAID_MAX === 0) await new Promise(setImmediate);
  }
  await heartbeats.flush();
}

async function read({ brokers, topic, group, records, warmUpRecords }: ServiceTask): Promise<ServiceCost> {
  const flatline = connect({ brokers });
  const ending = new AbortController();
  const meter = new ServiceMeter();
  let seen = 0;
  let events = 0;
  for await (const { summary } of flatline.summaries({ topic, group, signal: ending.signal })) {
    events += summary.eventCount;
    seen += 1;
    if (seen === warmUpRecords) meter.start();
    if (seen === records) ending.abort();
  }
  const cost = meter.cost(records - warmUpRecords);
  await flatline.close();
  if (events !== 2 * records) throw new Error(`the summaries told of ${events} events`);
  return cost;
}

/** All of them are alive and beat, seldom, so that only they are measured. */
export async function measureSessions(
  task: Pick<ServiceTask, 'brokers' | 'topic' | 'sessions'>,
): Promise<SessionsCost> {
  const { brokers, topic, sessions: count } = task;
  const flatline = connect({ brokers });
  const sessions = await flatline.sessions({ topic, timeoutMs: HOUR_MS });
  const live = new Array<unknown>(count);
  const first = sessions.session('first');
  first.start();
  await sessions.flush();
  const before = bytesHeld();
  for (let index = 0; index < count; index += 1) {
    const session = sessions.session(`session-${index}`);
    session.start();
    live[index] = session;
    if (index % STARTED_MAX === 0) await sessions.flush();
  }
  await sessions.flush();
  const bytesPerSession = (bytesHeld() - before) / count;
  if (sessions.liveCount !== live.length + 1) throw new Error(`${sessions.liveCount} sessions beat`);
  if (sessions.dropped.events > 0) throw new Error(`${sessions.dropped.events} sessions were not begun`);
  await flatline.close();
  return { sessions: count, bytesPerSession };
}

function bytesHeld(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
