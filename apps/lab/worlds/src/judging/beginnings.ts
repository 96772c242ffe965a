// Bounds where an application may have begun to read each partition (R3), by the input alone: no earlier than `startFrom` meant when
// the first process started, and no later than it meant when the first owner ran. The commits' own statements are checked against that.
//
// Owns: the two bounds of each partition.
// Does not own: the statements in the commits.
import type { Simulation } from '@flatline/cluster';
import type { StartFrom } from '@flatline/runtime';
import { INPUT } from '../pipeline-names.ts';

export class Beginnings {
  readonly #simulation: Simulation;
  readonly #startFrom: StartFrom;
  readonly #least: number[];
  readonly #most = new Map<number, number>();
  /** The greatest value before an election: an owner may have asked just then, and run after it. */
  readonly #beforeElection: number[];

  /** To be created when the first process starts. */
  constructor(simulation: Simulation, partitions: number, startFrom: StartFrom) {
    this.#simulation = simulation;
    this.#startFrom = startFrom;
    this.#least = Array.from({ length: partitions }, (_, partition) => this.#saidNow(partition));
    this.#beforeElection = [...this.#least];
  }

  /**
   * Elects leaders. A former one may have given a higher offset than any will afterwards; a new one may know a lower high
   * watermark than the last, or less of the log.
   */
  around(elect: () => void): void {
    for (const [partition, most] of this.#beforeElection.entries())
      this.#beforeElection[partition] = Math.max(most, this.#saidNow(partition));
    elect();
    for (const [partition, least] of this.#least.entries())
      this.#least[partition] = Math.min(least, this.#saidNow(partition));
  }

  /** To be called when a task runs: from then on the input is its own. */
  runs(partition: number): void {
    if (this.#most.has(partition)) return;
    this.#most.set(partition, Math.max(this.#beforeElection[partition]!, this.#saidNow(partition)));
  }

  /** The fault in the origin that the first commit states; undefined: none, or no commit. */
  fault(partition: number, stated: number | undefined): string | undefined {
    const most = this.#most.get(partition);
    if (most === undefined) return undefined;
    const least = Math.min(this.#least[partition]!, most);
    if (stated === undefined) return '[R3] its task ran before any commit said where it begins';
    if (stated >= least && stated <= most) return undefined;
    return `[R3] begins at ${stated}, though its first owner ran when the input was to begin between ${least} and ${most}`;
  }

  #saidNow(partition: number): number {
    const log = this.#simulation.log.partition(INPUT, partition);
    const { logStartOffset, lastStableOffset } = log.ends();
    const startFrom = this.#startFrom;
    if (startFrom === 'earliest') return logStartOffset;
    if (startFrom === 'latest') return lastStableOffset;
    const found = log.batches
      .flatMap((batch) => batch.records)
      .find(({ offset, timestamp }) => offset < lastStableOffset && timestamp >= startFrom.timestamp);
    return found?.offset ?? lastStableOffset;
  }
}
