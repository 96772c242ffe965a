// Local stores of one partition that could not be trusted and were dropped (R2, K5).
//
// Owns: how many there were since the task or its standby began.
// Does not own: dropping one (TaskStore).
import type { StoreDistrust } from '@flatline/ports';
import { placeInLog, type TaskContext } from '../task-context.ts';

export class StoreDrops {
  readonly #context: TaskContext;
  #count = 0;

  constructor(context: TaskContext) {
    this.#context = context;
  }

  get count(): number {
    return this.#count;
  }

  note(reason: StoreDistrust, detail: string): void {
    const { partition, ports } = this.#context;
    this.#count += 1;
    ports.stores.noteDrop({ partition, reason, at: ports.clock.wallMs() });
    const why =
      reason === 'given-up' ? ': it belonged to a changelog that was given up' : '; it is rebuilt from the changelog';
    ports.log.warn(`local store dropped${why}`, {
      ...placeInLog(this.#context),
      reason,
      detail,
    });
  }
}
