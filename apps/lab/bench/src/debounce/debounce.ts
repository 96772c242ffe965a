// Items that wait in windows and are handed over together, all windows due within the same second; compared with lists of Redis and
// BullMQ's debounce mode.
import type { ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { dueBenchmark, flatlineDue, peerDue } from '../due/due-benchmark.ts';
import type { DueContender } from '../due/due-contender.ts';
import { dueAtOf, type DueLoad } from '../tasks/due-load.ts';
import { joined, NO_PEERS, peerLineUp } from '../frame/line-up.ts';
import { valueText } from '../output-reader.ts';
import { lookUpStore } from '../peers/store-peers.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { short } from '../text-table.ts';

const ITEMS_PER_WINDOW = 50;

interface Batch {
  readonly items: readonly { readonly value: { readonly n: number } }[];
}

const FLATLINE = flatlineDue('windows, batches in JSON, of which each item is read', {
  // Longer than any wait that an item asks for.
  task: { section: { kind: 'debounce', mode: 'window', waitMs: NEVER_MS } },
  records: itemsOf,
  holds: (instance, items) => instance.applied(items),
  read: (record, see) => {
    for (const { value } of (JSON.parse(valueText(record)) as Batch).items) see(value.n);
  },
});

const STORES: Readonly<Record<'redis' | 'bullmq', Pick<DueContender, 'does' | 'addMs'>>> = {
  redis: {
    does:
      'a list for each window and a sorted set of due instants; scripts that push 1 000 items and arm on the first, and take 100 windows ' +
      'each 20 ms; append-only file synced each second; a worker that dies loses what it was handed',
    addMs: 0.03,
  },
  bullmq: {
    does:
      'its debounce mode, 1 000 items added at a time, one worker with 100 at once; each item takes the place of the one before, so ' +
      'that of a window only the last comes; append-only file synced each second',
    addMs: 0.3,
  },
};

export const debounce = dueBenchmark({
  name: 'debounce',
  does: 'items that wait in windows due in the same second, beside lists of Redis and BullMQ',
  what: 'item',
  conditions: (waiting) => `${short(waiting)} items in ${short(windowsOf(waiting))} windows`,
  lineUp: async (options) => {
    const stores = (['redis', 'bullmq'] as const).map(async (name) =>
      peerLineUp(name, await lookUpStore(name, options), (peer) =>
        peerDue({ name, ...STORES[name] }, (task) => peer.debounce({ ...task, windows: windowsOf(task.records) })),
      ),
    );
    return joined({ ...NO_PEERS, contenders: [FLATLINE] }, ...(await Promise.all(stores)));
  },
});

function windowsOf(items: number): number {
  return Math.ceil(items / ITEMS_PER_WINDOW);
}

/** All windows get their first item, which sets the due instant, then all their next one; other items have a window each. */
function* itemsOf(load: DueLoad, partitions: number, [from, to]: readonly [number, number]): Iterable<ProducedRecord> {
  const { records, valueBytes } = load;
  const windows = windowsOf(records);
  for (let item = from; item < to; item += 1) {
    const window = item < records ? item % windows : item;
    const head = `{"n":${item},"of":"`;
    const value = Buffer.from(`${head}${'x'.repeat(Math.max(0, valueBytes - head.length - 2))}"}`);
    const record = { partition: window % partitions, key: Buffer.from(`window-${window}`), value };
    if (item !== window) yield record;
    else {
      const waitMs = Math.floor(dueAtOf(load, window) - systemClock.wallMs());
      yield { ...record, headers: [{ name: 'flatline-wait-ms', value: Buffer.from(String(waitMs)) }] };
    }
  }
}
