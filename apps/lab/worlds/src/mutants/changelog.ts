// Faults in the changelog's contents, and in its truncation.
import type { EngineMutant } from './mutant.ts';

export const CHANGELOG_MUTANTS: readonly EngineMutant[] = [
  {
    name: 'owes no removal for a base in flight',
    file: 'libs/core/partition/src/changelog/changelog.ts',
    from: 'if (!entry.isWritten) return;',
    to: 'if (entry.baseBlock < 0) return;',
  },
  {
    name: 'loses a touch',
    file: 'libs/core/partition/src/changelog/changelog.ts',
    from: 'this.#builder.addTouch(entry, base);',
    to: 'if (entry.slot % 7 !== 3) this.#builder.addTouch(entry, base);',
  },
  {
    name: 'touches an entry that no bind is written of',
    file: 'libs/core/partition/src/changelog/changelog.ts',
    from: 'const isDue = entry.baseBlock < this.#sweep.before;',
    to: 'const isDue = entry.baseBlock + Number(entry.slot % 7 === 3) < this.#sweep.before;',
  },
  {
    name: 'says no timeout that has changed',
    file: 'libs/core/partition/src/changelog/changelog.ts',
    from: 'const isReshaped = this.#table.reshaped.delete(entry.slot);',
    to: 'const isReshaped = false;',
  },
  {
    name: 'writes a page on from a byte too far',
    file: 'libs/core/partition/src/changelog/block-builder.ts',
    from: 'const kept = whole ? 0 : arena.keptOf(reference);',
    to: 'const kept = whole ? 0 : Math.min(length, arena.keptOf(reference) + 1);',
  },
  {
    name: 'takes a changed page for written',
    file: 'libs/core/partition/src/changelog/block-builder.ts',
    from: 'if (all || states.arena.isDirty(reference))',
    to: 'if (all)',
  },
  {
    name: 'writes pages before their bind',
    file: 'libs/core/partition/src/changelog/block-builder.ts',
    from: 'const digest = headDigest(slot, this.#scratch.view, 0, head);\n    this.#begin(slot, OP_BIND);',
    to: 'const digest = headDigest(slot, this.#scratch.view, 0, head);\n    this.#addPages(slot, true);\n    this.#begin(slot, OP_BIND);',
  },
  {
    name: 'truncates above the floor',
    file: 'libs/shell/runtime/src/committing/truncator.ts',
    from: 'truncate(this.#parts.changelog, target)',
    to: 'truncate(this.#parts.changelog, target + 1)',
  },
  {
    name: 'truncates at once',
    file: 'libs/shell/runtime/src/committing/truncator.ts',
    from: 'now - sinceMs >= this.#parts.lagMs',
    to: 'now - sinceMs >= 0',
  },
  {
    name: 'truncates when half as much is written',
    file: 'libs/shell/runtime/src/committing/truncator.ts',
    from: 'this.#written - sinceBytes >= this.#parts.lagBytes',
    to: 'this.#written - sinceBytes >= this.#parts.lagBytes / 2',
  },
  {
    name: 'states a floor above a base',
    file: 'libs/core/partition/src/changelog/block-ledger.ts',
    from: 'this.#bases[this.#head] === 0) {',
    to: 'this.#bases[this.#head]! <= 1) {',
  },
  {
    name: 'forgets the floor with an empty store',
    file: 'libs/core/partition/src/changelog/block-ledger.ts',
    from: ': this.#restoredFloor;',
    to: ': 0;',
    seed: 1_599,
  },
  {
    name: 'says no settings that have changed',
    file: 'libs/core/partition/src/changelog/settings-history.ts',
    from: 'const isNew = this.#stretches.at(-1)?.text !== text;',
    to: 'const isNew = this.#stretches.length === 0;',
  },
  {
    name: 'lets the floor pass what says the settings',
    file: 'libs/core/partition/src/changelog/settings-history.ts',
    from: 'return this.#isWanted || this.#statedAt < floor ? this.#stretches : [];',
    to: 'return [];',
  },
  {
    name: 'says of settings that have changed only the new ones',
    file: 'libs/core/partition/src/changelog/settings-history.ts',
    from: 'return bounded([...this.#stretches, { sequence, from, text }]);',
    to: 'return [{ sequence, from, text }];',
  },
  {
    name: 'lets the log become ten times as long as it may',
    file: 'libs/core/partition/src/changelog/sweep-plan.ts',
    from: 'const most = allowed * SWEEP_FROM;',
    to: 'const most = 10 * allowed * SWEEP_FROM;',
    seed: 39,
  },
];
