// Faults in local stores.
import type { EngineMutant } from './mutant.ts';

export const STORE_MUTANTS: readonly EngineMutant[] = [
  {
    name: 'stores what no commit says of an entry',
    file: 'libs/core/partition/src/changelog/changelog.ts',
    from: 'return slot !== this.#within?.slot && !this.#dirty.has(slot) && !this.#view.at(slot).inFlight;',
    to: 'return true;',
  },
  {
    name: 'gives a store up where its disk is full',
    file: 'libs/shell/runtime/src/local-store/flusher.ts',
    from: 'if (this.#closing || !(error instanceof Retriable)) {',
    to: 'if (this.#closing || error instanceof Retriable) {',
  },
  {
    name: 'lets a failed close of a store end the task',
    file: 'libs/shell/runtime/src/local-store/task-store.ts',
    from: "this.#failed('local store not closed cleanly",
    to: "throw error; this.#failed('local store not closed cleanly",
    seed: 960_092,
  },
  {
    name: 'lets a failed wipe of a store end the task',
    file: 'libs/shell/runtime/src/local-store/task-store.ts',
    from: "this.#failed('local store not wiped",
    to: "throw error; this.#failed('local store not wiped",
    seed: 8,
  },
  {
    name: 'takes a store that cannot be opened for fatal',
    file: 'libs/shell/runtime/src/local-store/task-store.ts',
    from: 'if (error instanceof StateInUse || error instanceof AssertionError) throw error;',
    to: 'throw error;',
  },
  {
    name: 'trusts a store that has rotted',
    file: 'libs/shell/runtime/src/restoring/task-restoration.ts',
    from: 'if (disagreement !== undefined) throw',
    to: "if (disagreement === '') throw",
    seed: 94,
  },
];
