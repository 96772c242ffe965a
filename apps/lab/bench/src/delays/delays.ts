// Very many messages that wait and are due within the same second: what it costs to put them there, what they take meanwhile, and how
// long the last one waits for its reader. Beside a sorted set of Redis, delayed jobs of BullMQ and a table of PostgreSQL.
import type { DurationMs, Millis } from '@flatline/base';
import type { ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { type Application, withApplication } from '../frame/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { type Described, joined, type LineUp, NO_PEERS, peerLineUp } from '../frame/line-up.ts';
import { takeTurns } from '../frame/turns.ts';
import { lookUpStore, STORE_NAMES, type StorePeer } from '../peers/store-peers.ts';
import { beginParts, cpuOfAll, held, untilLead, untilRead } from '../processor/due-together.ts';
import { Instance } from '../processor/instance.ts';
import { NEVER_MS } from '../processor/instance-task.ts';
import { CloseCount, stormKey } from '../storm/close-count.ts';
import { short } from '../text-table.ts';
import { writeRecords } from '../writing.ts';
import { delaysRows, type DelaysTurn, dueTogetherPage } from './delays-page.ts';

interface DelaysContender extends Described {
  readonly isPeer: boolean;
  take(ground: DelaysGround, application: Application): Promise<DelaysTurn>;
}

/** Sessions: messages. */
const DEFAULTS = { sessions: 500_000, partitions: 4, repeats: 3 };
type DelaysGround = Ground<typeof DEFAULTS>;

const VALUE_BYTES = 100;
const DUE_WITHIN_MS: DurationMs = 1_000;
/** What a contender is given to start in; and to take each message, several times what it needs. */
const START_MS: DurationMs = 15_000;
const ADD_MS = { flatline: 0.06, redis: 0.03, bullmq: 0.3, postgresql: 0.03 } as const;
/** A contender that has not handed over all by then is measured by what it has. */
const DRAIN_MAX_MS: DurationMs = 120_000;

const FLATLINE: DelaysContender = {
  name: 'flatline',
  does: 'exactly once: flatline-due-at in a pipeline of schedules; changelog, local store; a read_committed reader of the output',
  isPeer: false,
  take: measureFlatline,
};

const DOES: Readonly<Record<StorePeer['name'], string>> = {
  redis:
    'a sorted set, messages as members; a script moves what is due to a stream each 20 ms, which a reader follows (XREAD)',
  bullmq: 'a delayed job for each, added 1 000 at a time, one worker with 100 at once',
  postgresql:
    'a table indexed by due instant; two workers delete what is due each 20 ms, 1 000 rows at a time (SKIP LOCKED)',
};

export const delays = framed({
  name: 'delays',
  description:
    'messages that wait and are due in the same second, beside a sorted set, BullMQ and SKIP LOCKED: CPU, memory, drain',
  settings: (options) => over(DEFAULTS, options),
  lineUp: async (options): Promise<LineUp<DelaysContender>> => {
    const stores = await Promise.all(
      STORE_NAMES.map(async (name) => peerLineUp(name, await lookUpStore(name, options), storeContender)),
    );
    return joined({ ...NO_PEERS, contenders: [FLATLINE] }, ...stores);
  },
  conditions: ({ sessions, partitions }) =>
    `${short(sessions)} messages of ${VALUE_BYTES} bytes, all due within ${DUE_WITHIN_MS} ms; ${partitions} partitions`,
  measure: measureDelays,
  report: ({ turns }) => ({ rows: delaysRows(turns), page: dueTogetherPage('message') }),
});

function storeContender(peer: StorePeer): DelaysContender {
  return {
    name: peer.name,
    does: `${DOES[peer.name]}; a worker that dies loses what it was handed`,
    isPeer: true,
    take: async ({ sessions }, { stateDir }) => {
      const task = {
        records: sessions,
        valueBytes: VALUE_BYTES,
        dueFrom: dueFrom(peer.name, sessions),
        dueWithinMs: DUE_WITHIN_MS,
      };
      const cost = await peer.delays({ ...task, runMaxMs: DRAIN_MAX_MS, stateDir });
      const { added, pendingBytes, drained, drainMs, count, twice } = cost;
      return {
        contender: peer.name,
        messages: sessions,
        count,
        twice,
        addMs: added.elapsedMs,
        addCpuMs: added.cpuMs,
        pendingBytes,
        drainMs,
        drainCpuMs: drained.cpuMs,
        processorCpuMs: undefined,
      };
    },
  };
}

function dueFrom(contender: keyof typeof ADD_MS, messages: number): Millis {
  return systemClock.wallMs() + START_MS + ADD_MS[contender] * messages;
}

/** @throws Error where the processor fails, or not all is there before the first is due. */
async function measureDelays(
  ground: DelaysGround,
  contenders: readonly DelaysContender[],
): Promise<{ readonly turns: readonly DelaysTurn[]; readonly failures: readonly string[] }> {
  const cells = contenders.map((contender) => ({
    name: contender.name,
    isPeer: contender.isPeer,
    take: () => withApplication(ground, (application) => contender.take(ground, application)),
  }));
  const { turns, failures } = await takeTurns(cells, ground);
  return { turns: turns.flat(), failures };
}

async function measureFlatline(ground: DelaysGround, application: Application): Promise<DelaysTurn> {
  const { kafka, connection, brokerCpu, partitions, sessions } = ground;
  const { topic } = application;
  const instance = await Instance.alone({ ...application, kind: 'schedule', timeoutMs: NEVER_MS });
  const count = new CloseCount(kafka, `${application.application}.output`, partitions, sessions);
  try {
    const empty = (await instance.look()).memory.rssBytes;
    const from = dueFrom('flatline', sessions);
    const adding = beginParts(brokerCpu, instance);
    await writeRecords(connection, { topic, records: () => messages(sessions, partitions, from) });
    await held(instance, sessions);
    const added = adding();
    const pendingBytes = (await instance.look()).memory.rssBytes - empty;
    await untilLead(from);
    const draining = beginParts(brokerCpu, instance);
    await untilRead(count, () => count.closes === sessions, { instance, until: from + DRAIN_MAX_MS });
    const drained = draining();
    return {
      contender: 'flatline',
      messages: sessions,
      count: count.closes,
      twice: count.closedTwice,
      addMs: added.elapsedMs,
      addCpuMs: cpuOfAll(added),
      pendingBytes,
      drainMs: count.lastSeenAt - from,
      drainCpuMs: cpuOfAll(drained),
      processorCpuMs: added.processorCpuMs + drained.processorCpuMs,
    };
  } finally {
    await count.close();
    await instance.stop();
  }
}

function* messages(count: number, partitions: number, from: Millis): Iterable<ProducedRecord> {
  for (let message = 0; message < count; message += 1) {
    const dueAt = from + (message % DUE_WITHIN_MS);
    const value = Buffer.from(`{"deadlineAt":${dueAt}}`.padEnd(VALUE_BYTES));
    const headers = [{ name: 'flatline-due-at', value: Buffer.from(String(dueAt)) }];
    yield { partition: message % partitions, key: stormKey(message), value, headers };
  }
}
