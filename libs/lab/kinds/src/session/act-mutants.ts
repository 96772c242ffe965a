// Faults where an operator acts (Q4). One that forgets what an eviction has left dies in the core's histories: a world's few entries
// are evicted before a commit could come between.
import type { Mutant } from '../mutants/mutant.ts';

export const ACT_MUTANTS: readonly Mutant[] = [
  {
    name: 'has an eviction be over halfway round',
    file: 'libs/core/partition/src/live/evictions.ts',
    from: 'if (this.#hand >= slots) {',
    to: 'if (this.#hand >= slots / 2) {',
  },
  {
    name: 'evicts what opened after the record, or was touched, with its touch',
    file: 'libs/core/kinds/src/session/session-acts.ts',
    from: 'lastOffset < place && ',
    to: 'place >= 0 && lastOffset >= 0 && ',
  },
  {
    name: 'evicts what has come to have the attribute since',
    file: 'libs/core/kinds/src/session/session-acts.ts',
    from: '{ lastOffset, detail }: SessionEntry,',
    to: '{ firstOffset: lastOffset, detail }: SessionEntry,',
  },
  {
    name: 'spares a key that is touched before its turn',
    file: 'libs/core/partition/src/live/live-entries.ts',
    from: 'return this.#isEvicting ? this.#dueBefore(due) : due;',
    to: 'return due;',
  },
  {
    name: 'evicts as of its turn',
    file: 'libs/core/kinds/src/session/session-acts.ts',
    from: 'EVICTED, eviction.at, effects',
    to: 'EVICTED, effects.clock, effects',
  },
  {
    name: 'evicts what has ended before',
    file: 'libs/core/partition/src/live/live-entries.ts',
    from: 'return this.#kind.dueAt() <= at ? undefined :',
    to: 'return this.#kind.dueAt() < 0 ? undefined :',
  },
  {
    name: 'says nothing of an operator',
    file: 'libs/core/kinds/src/session/session-acts.ts',
    from: "{ reason: 'ENDED', byOperator: true }",
    to: "{ reason: 'ENDED' }",
  },
];
