// The cost of one hot key where items are debounced: how late the batches of its neighbours are, how many items of one key a second
// a partition takes, compared with merely reading them, and the memory of a pending item.
import type { DurationMs } from '@flatline/base';
import type { ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { measureApart } from '../apart.ts';
import { withApplication } from '../frame/application.ts';
import { type Application } from '../tasks/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { Instance } from '../processor/instance.ts';
import type { MemoryParts } from '../process-stat.ts';
import { NEVER_MS, type PipelineSection } from '../tasks/instance-task.ts';
import { short } from '../text-table.ts';
import { writeRecords } from '../writing.ts';
import { BatchWatch, HOT_KEY, HotSender, itemValue } from './hot-load.ts';
import {
  hotKeyPage,
  hotKeyRows,
  type HotKeyTurn,
  lateOf,
  type PendingMemory,
  type ThroughputTurn,
} from './hotkey-page.ts';

/** Events: of the backlog of one key. Sessions: items that wait together. */
const DEFAULTS = { events: 1_000_000, sessions: 5_000_000, partitions: 1, repeats: 3, itemsPerSecond: 10_000 };
type HotKeyGround = Ground<typeof DEFAULTS>;

const ITEM_BYTES = 100;
const WAIT_MS: DurationMs = 1_000;
const WARM_UP_MS: DurationMs = 10_000;
const MEASURED_MS: DurationMs = 30_000;
const TAIL_MS: DurationMs = 3_000;
/** Longest time for which a commit may be missing from a local store (flushIntervalMs). */
const FLUSHED_MS: DurationMs = 66_000;
/** Items per window for the measurement of memory. */
const ITEMS_PER_WINDOW = 50;

interface Load {
  readonly name: string;
  readonly does: string;
  readonly isHot: boolean;
  readonly section: PipelineSection;
  /** Asked for by each hot item, and obeyed for the one that opens a window. */
  readonly waitMs?: DurationMs;
}

const WINDOWS: PipelineSection = { kind: 'debounce', mode: 'window', waitMs: WAIT_MS };
const LOADS: readonly Load[] = [
  { name: 'alone', does: 'no hot key', isHot: false, section: WINDOWS },
  { name: 'hot key', does: 'batches of one record each (flush)', isHot: true, section: WINDOWS },
  {
    name: 'hot key, 100 k a window',
    does: 'windows of ten seconds, in parts (split)',
    isHot: true,
    section: { ...WINDOWS, onOversize: 'split', maxBytes: 40_000_000 },
    waitMs: 10_000,
  },
];

export const hotkey = framed({
  name: 'hotkey',
  description: "debounce: one hot key's throughput, its neighbours' delay, and the memory of items that wait",
  settings: (options) => over(DEFAULTS, options),
  conditions: ({ itemsPerSecond }) =>
    `1 partition; items of ${ITEM_BYTES} bytes, ${short(itemsPerSecond)}/s of the hot key; windows of ${WAIT_MS} ms, 100 neighbours a second with an item each`,
  measure: measureHotKey,
  report: ({ turns, throughput, pending }) => ({ rows: hotKeyRows(turns), page: hotKeyPage(throughput, pending) }),
});

interface HotKeyMeasurement {
  readonly turns: readonly HotKeyTurn[];
  readonly throughput: readonly ThroughputTurn[];
  readonly pending: PendingMemory;
}

/** @throws Error if a processor fails or stalls. */
async function measureHotKey(ground: HotKeyGround): Promise<HotKeyMeasurement> {
  const delays = LOADS.map((load) => ({
    name: load.name,
    take: () => withApplication(ground, (application) => neighbours(ground, application, load)),
  }));
  const backlog = {
    name: 'backlog',
    take: () => withApplication(ground, (application) => drained(ground, application)),
  };
  const { turns } = await takeTurns(delays, ground);
  const { turns: throughput } = await takeTurns([backlog], ground);
  ground.onProgress(`${short(ground.sessions)} items that wait`);
  const pending = await withApplication(ground, (application) => waiting(ground, application));
  return { turns: turns.flat(), throughput: throughput.flat(), pending };
}

async function neighbours(ground: HotKeyGround, application: Application, load: Load): Promise<HotKeyTurn> {
  const { kafka, connection } = ground;
  const { topic } = application;
  const instance = await Instance.alone({ ...application, section: load.section });
  const watch = new BatchWatch(kafka, `${application.application}.output`);
  const headers =
    load.waitMs === undefined ? [] : [{ name: 'flatline-wait-ms', value: Buffer.from(String(load.waitMs)) }];
  const itemsPerSecond = load.isHot ? ground.itemsPerSecond : 0;
  const sender = new HotSender(connection, { topic, itemBytes: ITEM_BYTES, itemsPerSecond, headers });
  try {
    await delay(WARM_UP_MS);
    const from = systemClock.wallMs();
    instance.beginCost();
    await delay(MEASURED_MS);
    const to = systemClock.wallMs();
    const { loopDelay } = await instance.cost();
    await delay(TAIL_MS);
    const sent = await sender.stop();
    await delay(TAIL_MS);
    const late = lateOf(watch.batches, from, to);
    const missing = sent.neighbours - watch.batches.length;
    return { load: load.name, does: load.does, itemsPerSecond: sent.itemsPerSecond, ...late, missing, loopDelay };
  } finally {
    await sender.stop();
    await watch.close();
    await instance.stop();
  }
}

/** At full speed: input of one key, complete before the processor starts; and the same by a reader that does nothing else. */
async function drained(ground: HotKeyGround, application: Application): Promise<ThroughputTurn> {
  const { connection, events, brokers, partitions } = ground;
  const { topic } = application;
  function* records(): Iterable<ProducedRecord> {
    for (let index = 0; index < events; index += 1)
      yield { partition: 0, key: HOT_KEY, value: itemValue(index, ITEM_BYTES) };
  }
  await writeRecords(connection, { topic, records });
  const task = { brokers, topic, partitions, records: events };
  const raw = await measureApart({ work: 'read', args: ['flatline', task], what: 'reader' });
  const section = { ...WINDOWS, onOversize: 'split' };
  const instance = new Instance({ ...application, section });
  try {
    const { elapsedMs, cpuMs, heartbeats: items } = await instance.applied(events);
    return { items, elapsedMs, cpuMs, rawItems: raw.records, rawElapsedMs: raw.elapsedMs, rawCpuMs: raw.cpuMs };
  } finally {
    await instance.stop();
  }
}

/** Half of the items, then all of them: the difference leaves out what the process takes anyway. */
async function waiting(ground: HotKeyGround, application: Application): Promise<PendingMemory> {
  const { connection, sessions: items, onProgress } = ground;
  const { topic } = application;
  const section = { ...WINDOWS, waitMs: NEVER_MS };
  const instance = await Instance.alone({ ...application, section });
  const halfItems = Math.ceil(items / 2);
  const windows = Math.ceil(items / ITEMS_PER_WINDOW);
  const fill = async (from: number, to: number): Promise<MemoryParts> => {
    function* records(): Iterable<ProducedRecord> {
      for (let index = from; index < to; index += 1)
        yield { partition: 0, key: Buffer.from(`window-${index % windows}`), value: itemValue(index, ITEM_BYTES) };
    }
    await writeRecords(connection, { topic, records });
    await instance.applied(to);
    await delay(FLUSHED_MS);
    const { memory } = await instance.look();
    onProgress(`${short(to)} items wait: ${short(memory.rssBytes)} bytes`);
    return memory;
  };
  try {
    const parts = { half: await fill(0, halfItems), all: await fill(halfItems, items) };
    return { items, windows, halfItems, ...parts, valueBytes: ITEM_BYTES };
  } finally {
    await instance.kill();
  }
}
