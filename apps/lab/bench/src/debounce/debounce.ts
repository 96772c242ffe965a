// Items that wait in windows and are handed over together, all windows due within the same second: what it costs to put them there,
// what they take meanwhile, and how long the last one waits for its reader. Beside lists of Redis and BullMQ's debounce mode.
import type { DurationMs, Millis } from '@flatline/base';
import type { ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { type DelaysTurn, delaysRows, dueTogetherPage } from '../delays/delays-page.ts';
import { type Application, withApplication } from '../frame/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { type Described, joined, type LineUp, NO_PEERS, peerLineUp } from '../frame/line-up.ts';
import { takeTurns } from '../frame/turns.ts';
import { lookUpStore, type StorePeer } from '../peers/store-peers.ts';
import { beginParts, cpuOfAll, untilLead, untilRead } from '../processor/due-together.ts';
import { Instance } from '../processor/instance.ts';
import { NEVER_MS } from '../processor/instance-task.ts';
import { short } from '../text-table.ts';
import { writeRecords } from '../writing.ts';
import { ItemCount } from './item-count.ts';

interface DebounceContender extends Described {
  readonly isPeer: boolean;
  take(ground: DebounceGround, application: Application): Promise<DelaysTurn>;
}

/** Sessions: items. */
const DEFAULTS = { sessions: 500_000, partitions: 4, repeats: 3 };
type DebounceGround = Ground<typeof DEFAULTS>;

const ITEM_BYTES = 100;
const ITEMS_PER_WINDOW = 50;
const DUE_WITHIN_MS: DurationMs = 1_000;
/** What a contender is given to start in; and to take each item, several times what it needs. */
const START_MS: DurationMs = 15_000;
const ADD_MS = { flatline: 0.06, redis: 0.03, bullmq: 0.3 } as const;
/** A contender that has not handed over all by then is measured by what it has. */
const DRAIN_MAX_MS: DurationMs = 60_000;

const FLATLINE: DebounceContender = {
  name: 'flatline',
  does: 'exactly once: windows, batches in JSON; changelog, local store; a read_committed reader of the output, which reads each item',
  isPeer: false,
  take: measureFlatline,
};

const STORES = {
  redis:
    'a list for each window and a sorted set of due instants; scripts that push 1 000 items and arm on the first, and take 100 windows ' +
    'each 20 ms; append-only file synced each second; a worker that dies loses what it was handed',
  bullmq:
    'its debounce mode, 1 000 items added at a time, one worker with 100 at once; each item takes the place of the one before, so ' +
    'that of a window only the last comes; append-only file synced each second',
} as const;

export const debounce = framed({
  name: 'debounce',
  description:
    'items that wait in windows due in the same second, beside lists of Redis and BullMQ: CPU, memory, drain',
  settings: (options) => over(DEFAULTS, options),
  lineUp: async (options): Promise<LineUp<DebounceContender>> => {
    const stores = (Object.keys(STORES) as (keyof typeof STORES)[]).map(async (name) =>
      peerLineUp(name, await lookUpStore(name, options), (peer) => storeContender(name, peer)),
    );
    return joined({ ...NO_PEERS, contenders: [FLATLINE] }, ...(await Promise.all(stores)));
  },
  conditions: ({ sessions, partitions }) =>
    `${short(sessions)} items of ${ITEM_BYTES} bytes in ${short(windowsOf(sessions))} windows, all due within ${DUE_WITHIN_MS} ms; ` +
    `${partitions} partitions`,
  measure: async (ground: DebounceGround, contenders: readonly DebounceContender[]) => {
    const cells = contenders.map((contender) => ({
      name: contender.name,
      isPeer: contender.isPeer,
      take: () => withApplication(ground, (application) => contender.take(ground, application)),
    }));
    const { turns, failures } = await takeTurns(cells, ground);
    return { turns: turns.flat(), failures };
  },
  report: ({ turns }) => ({ rows: delaysRows(turns), page: dueTogetherPage('item') }),
});

function windowsOf(items: number): number {
  return Math.ceil(items / ITEMS_PER_WINDOW);
}

function dueFrom(contender: keyof typeof ADD_MS, items: number): Millis {
  return systemClock.wallMs() + START_MS + ADD_MS[contender] * items;
}

function storeContender(name: keyof typeof STORES, peer: StorePeer): DebounceContender {
  return {
    name,
    does: STORES[name],
    isPeer: true,
    take: async ({ sessions }, { stateDir }) => {
      const { added, drained, ...cost } = await peer.debounce({
        records: sessions,
        windows: windowsOf(sessions),
        valueBytes: ITEM_BYTES,
        dueFrom: Math.ceil(dueFrom(name, sessions)),
        dueWithinMs: DUE_WITHIN_MS,
        runMaxMs: DRAIN_MAX_MS,
        stateDir,
      });
      return {
        contender: name,
        messages: sessions,
        ...cost,
        addMs: added.elapsedMs,
        addCpuMs: added.cpuMs,
        drainCpuMs: drained.cpuMs,
        processorCpuMs: undefined,
      };
    },
  };
}

async function measureFlatline(ground: DebounceGround, application: Application): Promise<DelaysTurn> {
  const { kafka, connection, brokerCpu, partitions, sessions: items } = ground;
  const { topic } = application;
  // Longer than any wait that an item asks for.
  const windows = { mode: 'window', waitMs: NEVER_MS };
  const instance = await Instance.alone({ ...application, timeoutMs: NEVER_MS, debounce: windows });
  const count = new ItemCount(kafka, `${application.application}.output`, partitions, items);
  try {
    const empty = (await instance.look()).memory.rssBytes;
    const from = dueFrom('flatline', items);
    const adding = beginParts(brokerCpu, instance);
    await writeRecords(connection, { topic, records: () => itemsOf(items, partitions, from) });
    await instance.applied(items);
    const added = adding();
    const pendingBytes = (await instance.look()).memory.rssBytes - empty;
    await untilLead(from);
    const draining = beginParts(brokerCpu, instance);
    await untilRead(count, () => count.items === items, { instance, until: from + DRAIN_MAX_MS });
    const drained = draining();
    return {
      contender: 'flatline',
      messages: items,
      count: count.items,
      twice: count.seenTwice,
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

/** All windows get their first item, which says when the window is due, then all of them their next one. */
function* itemsOf(items: number, partitions: number, from: Millis): Iterable<ProducedRecord> {
  const windows = windowsOf(items);
  for (let item = 0; item < items; item += 1) {
    const window = item % windows;
    const head = `{"n":${item},"of":"`;
    const value = Buffer.from(`${head}${'x'.repeat(Math.max(0, ITEM_BYTES - head.length - 2))}"}`);
    const record = { partition: window % partitions, key: Buffer.from(`window-${window}`), value };
    if (item >= windows) yield record;
    else {
      const waitMs = Math.floor(from + (window % DUE_WITHIN_MS) - systemClock.wallMs());
      yield { ...record, headers: [{ name: 'flatline-wait-ms', value: Buffer.from(String(waitMs)) }] };
    }
  }
}
