// Faults in the core's state, most of which show late or never in the output: an invariant detects them (HACKING.md).
import type { EngineMutant } from './mutant.ts';

const CORE = 'libs/core/partition/src';
const WHEEL = 'libs/core/timing-wheel/src';

const OF_THE_CHANGELOG: readonly EngineMutant[] = [
  {
    name: 'leaves the base of what goes in the live bytes',
    file: `${CORE}/changelog/changelog.ts`,
    from: 'this.#sizes.remove(entry.baseBytes);',
    to: '',
    invariant: 'CL3',
    seed: 1,
  },
  {
    name: 'leaves an entry in flight behind its commit',
    file: `${CORE}/changelog/changelog.ts`,
    from: 'this.#view.at(slot).inFlight = false;',
    to: 'this.#view.at(slot).inFlight = slot % 7 === 3;',
    invariant: 'CL2',
    seed: 3,
  },
  {
    name: 'counts a removal twice',
    file: `${CORE}/changelog/changelog.ts`,
    from: 'this.#removals += 1;',
    to: 'this.#removals += 2;',
    invariant: 'CL2',
    seed: 1,
  },
  {
    name: 'weighs no removals',
    file: `${CORE}/changelog/changelog.ts`,
    from: 'this.#changedBytes += REMOVAL_BYTES;',
    to: '',
    invariant: 'CL5',
    seed: 10,
  },
  {
    name: 'renews a lease without a word',
    file: 'libs/core/kinds/src/lease/lease-kind.ts',
    from: 'this.#parts.counters.leaseRenewals += 1;\n    effects.changed();',
    to: 'this.#parts.counters.leaseRenewals += 1;',
    kind: 'lease',
    invariant: 'CL3',
    seed: 2,
  },
  {
    name: 'leaves a base counted where it was',
    file: `${CORE}/changelog/changelog.ts`,
    from: 'if (entry.baseBlock >= 0) this.ledger.left(entry.baseBlock);\n    entry.baseBlock = ordinal;',
    to: 'entry.baseBlock = ordinal;',
    invariant: 'BL1',
    seed: 1,
  },
];

const OF_CHECKPOINTS: readonly EngineMutant[] = [
  {
    name: 'counts rows as waiting that are written',
    file: `${CORE}/checkpoint/checkpoints.ts`,
    from: 'this.#settledBytes -= bytesOf(rows);',
    to: '',
    invariant: 'CK2',
    seed: 2,
  },
  {
    name: 'takes rows whose bytes do not count',
    file: `${CORE}/checkpoint/checkpoints.ts`,
    from: 'this.#settledBytes += bytesOf(this.#taken);',
    to: '',
    invariant: 'CK2',
    seed: 2,
  },
  {
    name: 'states a checkpoint before all is written',
    file: `${CORE}/checkpoint/checkpoints.ts`,
    from: 'if (this.#due.size === 0 && !this.#hasTaken) break;',
    to: 'if (!this.#hasTaken) break;',
    invariant: 'CK3',
    seed: 2,
  },
];

const OF_THE_TABLE: readonly EngineMutant[] = [
  {
    name: 'hands a slot out before a commit says that it is free',
    file: `${CORE}/entries/entry-table.ts`,
    from: 'this.#freed.push(slot);',
    to: 'this.#free.push(slot);',
    invariant: 'ET2',
    seed: 1,
  },
  {
    name: 'counts keys that have gone',
    file: `${CORE}/entries/entry-table.ts`,
    from: 'this.#keyBytes -= keyBytes(length);',
    to: '',
    invariant: 'ET1',
    seed: 1,
  },
  {
    name: 'leaves what has gone among the reshaped',
    file: `${CORE}/entries/entry-table.ts`,
    from: 'this.reshaped.delete(slot);',
    to: '',
    invariant: 'ET2',
    seed: 483,
  },
  {
    name: 'loses the place of a key that goes',
    file: `${CORE}/entries/key-arena.ts`,
    from: 'this.#free[units] = reference;',
    to: '',
    invariant: 'KA1',
    seed: 1,
  },
  {
    name: 'counts a place of the index in use that is empty',
    file: `${CORE}/entries/key-index.ts`,
    from: 'this.#used[segment >>> SEGMENT_SHIFT]! -= 1;',
    to: '',
    invariant: 'KI2',
    seed: 1,
  },
];

const OF_PAGES: readonly EngineMutant[] = [
  {
    name: 'counts the place of a page that has gone',
    file: `${CORE}/entries/page-arena.ts`,
    from: 'this.#takenBytes -= SIZES[size]!;',
    to: '',
    kind: 'debounce',
    invariant: 'PG1',
    seed: 1,
  },
  {
    name: 'leaves an empty slab with those of its size',
    file: `${CORE}/entries/page-arena.ts`,
    from: 'if (slabs[at + TAKEN] !== 0) return;',
    to: 'if (slabs[at + TAKEN]! >= 0) return;',
    kind: 'debounce',
    invariant: 'PG2',
    seed: 1,
  },
  {
    name: 'loses the place of a page that moves',
    file: `${CORE}/entries/state-pages.ts`,
    from: 'arena.release(page);\n    this.#bySlot[slot] = moved + 1;',
    to: 'this.#bySlot[slot] = moved + 1;',
    kind: 'debounce',
    invariant: 'PG1',
    seed: 1,
  },
];

const OF_LIVE_ENTRIES: readonly EngineMutant[] = [
  {
    name: 'leaves the timer of an entry that ends',
    file: `${CORE}/live/live-entries.ts`,
    from: 'this.#armed().cancel(slot);',
    to: '',
    invariant: 'LE1',
    seed: 1,
  },
  {
    name: 'arms no timer for some that are new',
    file: `${CORE}/live/live-entries.ts`,
    from: 'this.#owesChanged = true;\n    this.#armed().schedule(this.#entry.slot);',
    to: 'this.#owesChanged = true;\n    if (this.#entry.slot % 7 !== 3) this.#armed().schedule(this.#entry.slot);',
    invariant: 'LE1',
    seed: 3,
  },
  {
    name: 'says that an entry has changed before all has',
    file: 'libs/core/kinds/src/debounce/debounce-kind.ts',
    from: 'effects.resized();\n    effects.changed();\n    if (this.dueAt() < before) effects.dueSooner();',
    to: 'effects.changed();\n    effects.resized();\n    if (this.dueAt() < before) effects.dueSooner();',
    kind: 'debounce',
    invariant: 'LE3',
    seed: 1,
  },
];

const OF_TIMERS: readonly EngineMutant[] = [
  {
    name: 'leaves what has come to recur among what may wait',
    file: 'libs/core/kinds/src/schedule/schedule-kind.ts',
    from: 'entry.dueAt < wasDueAt || goesFirst !== this.goesFirst()',
    to: 'entry.dueAt < wasDueAt',
    kind: 'schedule',
    invariant: 'EW1',
    seed: 2,
  },
];

const OF_THE_WHEEL: readonly EngineMutant[] = [
  {
    name: 'counts a timer that is cancelled',
    file: `${WHEEL}/timing-wheel.ts`,
    from: 'if (!this.isArmed(id)) return;\n    this.#buckets.take(id);\n    this.#size -= 1;',
    to: 'if (!this.isArmed(id)) return;\n    this.#buckets.take(id);',
    invariant: 'WH1',
    seed: 1,
  },
  {
    name: 'puts a timer a tick too far',
    file: `${WHEEL}/timing-wheel.ts`,
    from: 'bucketFor(tick, this.#cursor)',
    to: 'bucketFor(tick + 1, this.#cursor)',
    invariant: 'WH2',
    seed: 2,
  },
  {
    name: 'bounds a bucket by its first timer',
    file: `${WHEEL}/buckets.ts`,
    from: 'if (deadline < this.#bounds[bucket]!) this.#bounds[bucket] = deadline;',
    to: '',
    invariant: 'BU4',
    seed: 4,
  },
  {
    name: 'moves on from what it has looked at',
    file: `${WHEEL}/timing-wheel.ts`,
    from: 'if (target > this.#cursor) this.#putBackLooked();',
    to: '',
    kind: 'schedule',
    invariant: 'WH7',
    seed: 14,
  },
];

export const INVARIANT_MUTANTS: readonly EngineMutant[] = [
  ...OF_THE_CHANGELOG,
  ...OF_CHECKPOINTS,
  ...OF_THE_TABLE,
  ...OF_PAGES,
  ...OF_LIVE_ENTRIES,
  ...OF_TIMERS,
  ...OF_THE_WHEEL,
];
