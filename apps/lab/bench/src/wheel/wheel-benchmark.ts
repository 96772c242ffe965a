import { messageOf } from '@flatline/base';
import { cpus } from 'node:os';
import { measureApart } from '../apart.ts';
import type { Benchmark } from '../benchmark.ts';
import type { JvmSettings } from '../peers/java-program.ts';
import { lookUpPeer } from '../peers/peer.ts';
import { contenders } from './contenders.ts';
import { type Cost, ratios } from './measurement.ts';
import { NODE_TIMERS } from './node-timers.ts';
import { judge, wheelCharts, type WheelReport, type WheelRow, wheelText } from './wheel-page.ts';

/** ZooKeeper's own session tracker: the class a leader runs, touched and expired. */
const ZOOKEEPER = {
  name: 'ZooKeeper sessions',
  note:
    'SessionTrackerImpl, its maps of sessions included, expiries rounded up to 3000 ms; a fire is expiring and removing, ' +
    'deadlines within 6 s, all past; a heap so large that little is collected',
  timersMax: 10_000_000,
} as const;

const ZOOKEEPER_JVM: JvmSettings = { heapMb: 6_144, collector: 'Parallel' };
const SIZES: readonly number[] = [10_000, 100_000, 1_000_000, 10_000_000];
/** Rounds counted, after one that is not; a larger size takes one, which is long enough. */
const ROUNDS = 3;
const ONE_ROUND_BEYOND = 1_000_000;
const HEAP_MAX_MB = 8192;

/** One contender. */
interface Measured {
  readonly name: string;
  readonly note: string;
  readonly timersMax: number;
  /** A program of others, whose failure must not lose what was measured before it. */
  readonly isPeer?: boolean;
  readonly measure: (timers: number, rounds: number) => Promise<Cost>;
}

/** A size of its own in place of the usual ones is asked for as sessions. */
export const wheel: Benchmark = {
  name: 'wheel',
  description:
    "the timing wheel beside a heap, buckets of sets, setTimeout and ZooKeeper's tracker; minutes at 10 M timers",
  async run(options) {
    const { onProgress, sessions } = options;
    const zookeeper = await lookUpPeer('zookeeper', options);
    const own = [...contenders, NODE_TIMERS].map((contender) => ({
      ...contender,
      measure: measureOwn(contender.name),
    }));
    if (zookeeper.kind === 'missing') {
      const report = await measureWheel(own, sessions, onProgress);
      const notes = { ...report.notes, [ZOOKEEPER.name]: `not run: ${zookeeper.why}` };
      return reported({ ...report, notes });
    }
    const { program } = zookeeper;
    const measure = (timers: number, rounds: number): Promise<Cost> =>
      program.run({ job: 'tracker', timers, rounds }, ZOOKEEPER_JVM);
    return reported(await measureWheel([...own, { ...ZOOKEEPER, isPeer: true, measure }], sessions, onProgress));
  },
};

function reported(report: WheelReport): Awaited<ReturnType<Benchmark['run']>> {
  return { figures: report, text: wheelText(report), charts: wheelCharts(report) };
}

/**
 * Measures one after another, each contender and size in a process of its own. Rejects if one of ours dies, for instance of
 * memory: 10 million timers in maps take some 2 GB; a program of others says why in its note.
 */
async function measureWheel(
  peers: readonly Measured[],
  size: number | undefined,
  onProgress: (what: string) => void,
): Promise<WheelReport> {
  const rows: WheelRow[] = [];
  const notes = new Map(peers.map(({ name, note }) => [name, note]));
  for (const timers of size === undefined ? SIZES : [size]) {
    let first: Cost | undefined;
    for (const { name, timersMax, isPeer, measure } of peers) {
      if (timers > timersMax) continue;
      onProgress(`${name} at ${timers.toLocaleString('en')} timers`);
      try {
        const cost = await measure(timers, timers > ONE_ROUND_BEYOND ? 1 : ROUNDS);
        first ??= cost;
        rows.push({ contender: name, timers, ...cost, timesWheel: ratios(cost, first) });
      } catch (error) {
        if (isPeer !== true) throw error;
        const why = messageOf(error);
        notes.set(name, `${notes.get(name)!}; not run at ${timers} timers: ${why}`);
      }
    }
  }
  return {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    rounds: ROUNDS,
    notes: Object.fromEntries(notes),
    rows,
    targets: judge(rows),
  };
}

function measureOwn(name: string): Measured['measure'] {
  return (timers, rounds) =>
    measureApart({
      work: 'timers',
      args: [name, timers, rounds],
      what: `${name} at ${timers} timers`,
      nodeOptions: [`--max-old-space-size=${HEAP_MAX_MB}`],
    });
}
