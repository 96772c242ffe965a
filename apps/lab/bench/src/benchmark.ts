import type { PeerName } from './peers/peer-names.ts';
import type { BarChart } from './report/bar-chart.ts';
import type { EventFormat } from './tasks/event-format.ts';

/** Options of a benchmark; each ignores those that it does not know. */
/** The peers asked for, and the listener for those that do not take part. */
export interface PeersAsked {
  /** Built if they are missing; none: `[]`; undefined: those that are already built. */
  readonly peers?: readonly PeerName[] | undefined;
  /** Told each step of the work. */
  readonly onProgress: (what: string) => void;
}

/** Sizes that replace a benchmark's own. */
export interface Sizes {
  readonly events?: number | undefined;
  readonly sessions?: number | undefined;
  readonly partitions?: number | undefined;
  /** Turns of everything compared. */
  readonly repeats?: number | undefined;
}

export interface BenchmarkOptions extends PeersAsked, Sizes {
  /** Duration of measurements over time. */
  readonly minutes?: number | undefined;
  readonly formats?: readonly EventFormat[] | undefined;
  /** Parent of the state directories, on a real disk. */
  readonly workDir: string;
}

export interface BenchmarkReport {
  /** Everything measured, for machines. */
  readonly figures: object;
  /** The same as a human-readable table. */
  readonly text: string;
  /** Pictures of its main figures. */
  readonly charts?: readonly BarChart[];
  /** Versions of the peers' platforms, as in `Java 17.0.15`. */
  readonly versions?: readonly string[];
  /** Number of turns behind each median; undefined: no medians. */
  readonly repeats?: number;
}

export interface Benchmark {
  readonly name: string;
  readonly description: string;
  run(options: BenchmarkOptions): Promise<BenchmarkReport>;
}
