import type { PeerName } from './peers/peer-names.ts';
import type { BarChart } from './report/bar-chart.ts';
import type { EventFormat } from './tasks/event-format.ts';

/** Options of a benchmark; each ignores those that it does not know. */
/** Peers that are asked for, and who is told about those that do not take part. */
export interface PeersAsked {
  /** Built if they are missing; none: `[]`; undefined: those that are there already. */
  readonly peers?: readonly PeerName[] | undefined;
  /** Told what is being done. */
  readonly onProgress: (what: string) => void;
}

/** Sizes that replace a benchmark's own. */
export interface Sizes {
  readonly events?: number | undefined;
  readonly sessions?: number | undefined;
  readonly partitions?: number | undefined;
  /** Turns of everything that is compared. */
  readonly repeats?: number | undefined;
}

export interface BenchmarkOptions extends PeersAsked, Sizes {
  /** How long what is watched over time is watched. */
  readonly minutes?: number | undefined;
  readonly formats?: readonly EventFormat[] | undefined;
  /** Where state directories are made, on a real disk. */
  readonly workDir: string;
}

export interface BenchmarkReport {
  /** Everything measured, for machines. */
  readonly figures: object;
  /** The same as a human-readable table. */
  readonly text: string;
  /** What of it is worth a picture. */
  readonly charts?: readonly BarChart[];
  /** Versions of what peers run on, as in `Java 17.0.15`. */
  readonly versions?: readonly string[];
  /** Turns that its figures are medians of; undefined: it takes none. */
  readonly repeats?: number;
}

export interface Benchmark {
  readonly name: string;
  readonly description: string;
  run(options: BenchmarkOptions): Promise<BenchmarkReport>;
}
