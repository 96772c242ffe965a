// By how much what was read and what has ended grew since somebody watches: sums of counters that never fall, whoever comes and goes.
//
// Owns: each task's counters at the last look.
//
// Invariants
//   GR1  A task that was not here at the last look, or has begun again since, adds nothing with this one.
import { endsByReason } from './ends.ts';
import type { ShownPipeline, ShownProcess } from './shown.ts';

interface Counts {
  readonly read: number;
  readonly ended: number;
}

export class Growth {
  #last = new Map<string, Counts>();
  #next = new Map<string, Counts>();
  readonly #sums = new Map<string, Counts>();

  /** Asked once for each pipeline of each process in a look. */
  of({ instance }: ShownProcess, { name, kind, tasks }: ShownPipeline): Counts {
    const place = `${name}/${instance}`;
    let { read, ended } = this.#sums.get(place) ?? { read: 0, ended: 0 };
    for (const task of tasks) {
      if (task.counters === undefined) continue;
      const now = { read: task.counters.recordsRead, ended: total(endsByReason(kind, [task])) };
      const key = `${place}/${task.partition}`;
      const before = this.#last.get(key) ?? now;
      this.#next.set(key, now);
      if (now.read < before.read || now.ended < before.ended) continue;
      read += now.read - before.read;
      ended += now.ended - before.ended;
    }
    const sums = { read, ended };
    this.#sums.set(place, sums);
    return sums;
  }

  /** The look is over. */
  turn(): void {
    this.#last = this.#next;
    this.#next = new Map();
  }
}

function total(ends: readonly (readonly [string, number])[]): number {
  return ends.reduce((sum, [, count]) => sum + count, 0);
}
