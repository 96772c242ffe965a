// Blocks of the changelog, read or applied, between two turns of the event loop.
//
// Owns: how many there were since the last turn.
// Does not own: what is done with them.
import type { Clock, DurationMs } from '@flatline/base';
import { turn } from './turn.ts';
import { RESTORE_BLOCKS_PER_TURN, RESTORE_BYTES_PER_TURN, SLICE_MS } from './limits.ts';
import type { Turns } from './settings.ts';

interface SlicePorts {
  readonly clock: Clock;
  readonly turns: Turns;
}

/**
 * Bounded by count, by bytes and, but for the last block, by time: where the index of keys grows, a block takes ten times as
 * long as most.
 */
export class WorkSlice {
  readonly #ports: SlicePorts;
  #blocks = 0;
  #bytes = 0;
  #startedAt: DurationMs;

  constructor(ports: SlicePorts) {
    this.#ports = ports;
    this.#startedAt = ports.clock.monotonicMs();
  }

  /** Counts a block. True where others are to have their turn now. */
  isOver(bytes: number): boolean {
    this.#blocks += 1;
    this.#bytes += bytes;
    if (this.#blocks >= RESTORE_BLOCKS_PER_TURN || this.#bytes >= RESTORE_BYTES_PER_TURN) return true;
    return this.#ports.clock.monotonicMs() - this.#startedAt >= SLICE_MS;
  }

  /** Gives them their turn. */
  async next(): Promise<void> {
    await turn(this.#ports.turns);
    this.#blocks = 0;
    this.#bytes = 0;
    this.#startedAt = this.#ports.clock.monotonicMs();
  }
}
