// A gateway is lost: one of twenty users of very many is evicted by one act (Q4), while other sessions close as ever.
import type { DurationMs, Millis } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { framed, type Ground, over } from '../frame/frame.ts';
import { takeApplicationTurns } from '../frame/turns.ts';
import { Instance } from '../processor/instance.ts';
import { type Quantiles, quantilesOf } from '../statistics.ts';
import { type Application, PIPELINE } from '../tasks/application.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { short } from '../text-table.ts';
import { EVICT_PAGE, evictRows, type EvictTurn } from './evict-page.ts';
import { EvictionWatch, GATEWAYS, keepClosing, loadUsers, LOST, lostOf, type SeenClose } from './lost-users.ts';

const DEFAULTS = { sessions: 2_000_000, partitions: 8, repeats: 3 };
/** Other sessions close for so long before the act. */
const CALM_MS: DurationMs = 12_000;
/** The hurried records are committed, and the first others have closed. */
const SETTLE_MS: DurationMs = 5_000;
const GIVEN_UP_MS: DurationMs = 120_000;
const LOOK_MS: DurationMs = 10;

type EvictGround = Ground<typeof DEFAULTS>;

export const evict = framed({
  name: 'evict',
  description:
    'a lost gateway: all of its users evicted by one act; seconds until all have ended, and the delay of other closes',
  settings: (options) => over(DEFAULTS, options),
  conditions: ({ sessions, partitions }) =>
    `one of ${GATEWAYS} gateways of ${short(sessions)} users on ${partitions} partitions, an attribute each beside another; 250 others close a second`,
  measure: (ground: EvictGround) =>
    takeApplicationTurns(ground, [{ name: 'flatline', take: (application) => lostGateway(ground, application) }]),
  report: ({ turns }) => ({ rows: evictRows(turns), page: EVICT_PAGE }),
});

async function lostGateway(ground: EvictGround, application: Application): Promise<EvictTurn> {
  const { kafka, connection, sessions, partitions } = ground;
  const { topic } = application;
  await loadUsers(connection, topic, sessions);
  const instance = await Instance.alone({ ...application, timeoutMs: NEVER_MS, compression: 'none' });
  const watch = new EvictionWatch(kafka, `${application.application}.output`, partitions, sessions);
  const ending = new AbortController();
  try {
    await instance.until((assigned) => assigned.reduce((sum, each) => sum + each.liveEntries, 0) >= sessions);
    const closing = keepClosing(connection, topic, ending.signal);
    closing.catch(() => undefined);
    await delay(SETTLE_MS + CALM_MS);
    const lost = lostOf(sessions, partitions);
    const askedAt = systemClock.wallMs();
    instance.beginCost();
    await ask(await instance.address());
    const answerMs = systemClock.wallMs() - askedAt;
    while (watch.evicted < lost && systemClock.wallMs() - askedAt < GIVEN_UP_MS) await delay(LOOK_MS);
    const { cpuMs } = await instance.cost();
    const allMs = watch.lastSeenAt - askedAt;
    await delay(SETTLE_MS);
    ending.abort();
    await closing;
    return {
      contender: 'flatline',
      evicted: watch.evicted,
      twice: watch.twice,
      lost,
      allMs,
      answerMs,
      cpuMs,
      before: lateBetween(watch.others, askedAt - CALM_MS, askedAt),
      meanwhile: lateBetween(watch.others, askedAt, watch.lastSeenAt + 1),
    };
  } finally {
    ending.abort();
    await watch.close();
    await instance.stop();
  }
}

async function ask(address: string): Promise<void> {
  const answer = await fetch(`${address}/api/v1/entries/${PIPELINE}:evict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ attribute: 'gateway', equals: LOST }),
  });
  if (answer.status !== 202) throw new Error(`the act is answered with ${answer.status}: ${await answer.text()}`);
}

function lateBetween(closes: readonly SeenClose[], from: Millis, to: Millis): Quantiles {
  return quantilesOf(closes.filter(({ seenAt }) => seenAt >= from && seenAt < to).map(({ lateMs }) => lateMs));
}
