import { cpus } from 'node:os';
import { measureApart } from '../measured-process.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import { measureZookeeper, ZOOKEEPER } from '../peers/zookeeper.ts';
import { contenders } from './contenders.ts';
import { type Cost } from './measurement.ts';
import { NODE_TIMERS } from './node-timers.ts';
import { type WheelReport, type WheelRow, type WheelTarget } from './wheel-report.ts';

export interface WheelBenchOptions {
  /** How many timers, each a table of its own. */
  readonly sizes?: readonly number[];
  /** Rounds counted, after one that is not; beyond a million timers one round, which is long enough. Default 3. */
  readonly rounds?: number;
  readonly zookeeper?: PeerLookUp;
  /** Told before each measurement. */
  readonly onProgress?: (contender: string, timers: number) => void;
}

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const ROUNDS = 3;
const ONE_ROUND_BEYOND = 1_000_000;
const HEAP_MAX_MB = 8192;

const INSERT_NS_MAX = 30;
const REARM_NS_MAX = 100;
const BYTES_PER_TIMER_MAX = 24;
const INSERT_GROWTH_MAX = 3;
const SMALL = 10_000;
const LARGE = 10_000_000;

/**
 * Measures the wheel and its peers one after another, each contender and size in a process of its own. Rejects if one of ours
 * dies, for instance of memory: 10 million timers in maps take some 2 GB; a program of others says why in its note.
 */
export async function benchWheel(options: WheelBenchOptions = {}): Promise<WheelReport> {
  const { sizes = SIZES, rounds = ROUNDS, onProgress, zookeeper } = options;
  const peers = [...contenders, NODE_TIMERS, ...(zookeeper?.kind === 'ready' ? [ZOOKEEPER] : [])];
  const rows: WheelRow[] = [];
  const failed: string[] = [];
  for (const timers of sizes) {
    let wheel: Cost | undefined;
    for (const { name, timersMax } of peers) {
      if (timers > timersMax) continue;
      onProgress?.(name, timers);
      const counted = timers > ONE_ROUND_BEYOND ? 1 : rounds;
      let cost: Cost;
      if (zookeeper?.kind === 'ready' && name === ZOOKEEPER.name) {
        try {
          cost = await measureZookeeper(zookeeper.program, timers, counted);
        } catch (error) {
          // A program of others must not lose what was measured before it.
          failed.push(`not run at ${timers} timers: ${error instanceof Error ? error.message : String(error)}`);
          continue;
        }
      } else cost = await measureContender(name, timers, counted);
      wheel ??= cost;
      rows.push({ contender: name, timers, ...cost, timesWheel: over(cost, wheel) });
    }
  }
  return {
    node: process.version,
    cpu: cpus()[0]?.model ?? 'unknown',
    rounds,
    notes: Object.fromEntries([
      ...peers.map(({ name, note }) => [name, [note, ...(name === ZOOKEEPER.name ? failed : [])].join('; ')]),
      ...(zookeeper?.kind === 'missing' ? [[ZOOKEEPER.name, `not run: ${zookeeper.why}`]] : []),
    ]) as Record<string, string>,
    rows,
    targets: judge(rows),
  };
}

/** What the project promises of the wheel, as far as the sizes measured tell. */
export function judge(rows: readonly WheelRow[]): WheelTarget[] {
  const wheelAt = (timers: number): WheelRow | undefined =>
    rows.find((row) => row.timers === timers && row.contender === contenders[0]!.name);
  const [small, large] = [wheelAt(SMALL), wheelAt(LARGE)];
  if (large === undefined) return [];
  const target = (what: string, atMost: number, measured: number): WheelTarget => ({
    what,
    atMost,
    measured,
    met: measured <= atMost,
  });
  const targets = [
    target('insert at 10 M, ns', INSERT_NS_MAX, large.insertNs),
    target('re-arm later at 10 M, ns', REARM_NS_MAX, large.rearmNs),
    target('bytes per timer at 10 M', BYTES_PER_TIMER_MAX, large.bytesPerTimer),
  ];
  if (small === undefined) return targets;
  return [...targets, target('insert at 10 M over insert at 10 k', INSERT_GROWTH_MAX, large.insertNs / small.insertNs)];
}

function over(cost: Cost, wheel: Cost): Cost {
  return {
    insertNs: cost.insertNs / wheel.insertNs,
    rearmNs: cost.rearmNs / wheel.rearmNs,
    rearmEarlierNs: cost.rearmEarlierNs / wheel.rearmEarlierNs,
    fireNs: cost.fireNs / wheel.fireNs,
    bytesPerTimer: cost.bytesPerTimer / wheel.bytesPerTimer,
  };
}

function measureContender(name: string, timers: number, rounds: number): Promise<Cost> {
  // The sibling with this file's own extension: sources run unbuilt, and so does the build.
  const script = import.meta.filename.replace('wheel-benchmark', 'contender-process');
  const heap = `--max-old-space-size=${HEAP_MAX_MB}`;
  return measureApart<Cost>(script, [name, String(timers), String(rounds)], `${name} at ${timers} timers`, [heap]);
}
