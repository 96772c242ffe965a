// Very many messages that wait and are due within the same second; compared with a sorted set of Redis, delayed jobs of BullMQ, a
// table of PostgreSQL and scheduled messages of NATS.
import type { ProducedRecord } from '@flatline/kafka';
import { dueBenchmark, flatlineDue, peerDue } from '../due/due-benchmark.ts';
import type { DueContender } from '../due/due-contender.ts';
import { dueAtOf, type DueLoad } from '../tasks/due-load.ts';
import { joined, NO_PEERS, peerLineUp } from '../frame/line-up.ts';
import { lookUpNats } from '../peers/nats.ts';
import { lookUpStore, STORE_NAMES, type StorePeer } from '../peers/store-peers.ts';
import { held } from '../processor/due-together.ts';
import { numberInKey, stormKey } from '../storm/close-count.ts';
import { short } from '../text-table.ts';

const FLATLINE = flatlineDue('flatline-due-at in a pipeline of schedules', {
  task: { section: { kind: 'schedule' } },
  records: messages,
  holds: held,
  read: ({ bytes, keyStart, keyLength, valueLength }, see) => {
    // A tombstone has no value.
    const number = valueLength > 0 ? numberInKey(bytes, keyStart, keyLength) : undefined;
    if (number !== undefined) see(number);
  },
});

const STORES: Readonly<Record<StorePeer['name'], Pick<DueContender, 'does' | 'addMs'>>> = {
  redis: {
    does: 'a sorted set, messages as members; a script moves what is due to a stream each 20 ms, which a reader follows (XREAD)',
    addMs: 0.03,
  },
  bullmq: {
    does: 'a delayed job for each, added 1 000 at a time, one worker with 100 at once',
    addMs: 0.4,
  },
  postgresql: {
    does: 'a table indexed by due instant; two workers delete what is due each 20 ms, 1 000 rows at a time (SKIP LOCKED)',
    addMs: 0.03,
  },
};

const NATS: Pick<DueContender, 'name' | 'does' | 'addMs'> = {
  name: 'nats',
  does:
    'at least once: a schedule (Nats-Schedule) for each in a stream of files, removed when acknowledged; 4 096 published without an ' +
    'answer at most; a durable consumer, each acknowledged; files synced each two minutes',
  addMs: 0.15,
};

export const delays = dueBenchmark({
  name: 'delays',
  does: 'messages that wait and are due in the same second, beside a sorted set, BullMQ, SKIP LOCKED and NATS',
  what: 'message',
  conditions: (waiting) => `${short(waiting)} messages`,
  lineUp: async (options) => {
    const stores = await Promise.all(
      STORE_NAMES.map(async (name) => peerLineUp(name, await lookUpStore(name, options), storeContender)),
    );
    const nats = peerLineUp('nats', await lookUpNats(options), (peer) => peerDue(NATS, (task) => peer.delays(task)));
    return joined({ ...NO_PEERS, contenders: [FLATLINE] }, ...stores, nats);
  },
});

function storeContender(peer: StorePeer): DueContender {
  const { does, addMs } = STORES[peer.name];
  const described = { name: peer.name, does: `${does}; a worker that dies loses what it was handed`, addMs };
  return peerDue(described, (task) => peer.delays(task));
}

function* messages(load: DueLoad, partitions: number, [from, to]: readonly [number, number]): Iterable<ProducedRecord> {
  for (let message = from; message < to; message += 1) {
    const dueAt = dueAtOf(load, message);
    const value = Buffer.from(`{"deadlineAt":${dueAt}}`.padEnd(load.valueBytes));
    const headers = [{ name: 'flatline-due-at', value: Buffer.from(String(dueAt)) }];
    yield { partition: message % partitions, key: stormKey(message), value, headers };
  }
}
