// Faults in windows (B1–B4): when they fire, and the contents of their batches.
import type { Mutant } from '../mutants/mutant.ts';

export const DEBOUNCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'moves a window with each item',
    file: 'libs/core/kinds/src/debounce/debounce-kind.ts',
    from: "if (this.#rules.mode !== 'window') {",
    to: "if (this.#rules.mode !== '') {",
    seed: 12,
  },
  {
    name: 'fires a full window an item late',
    file: 'libs/core/kinds/src/debounce/debounce-kind.ts',
    from: 'if (count >= maxItems)',
    to: 'if (count > maxItems)',
  },
  {
    name: 'lets a window wait beyond maxWaitMs',
    file: 'libs/core/kinds/src/debounce/debounce-kind.ts',
    from: 'return maxEndAt > 0 && maxEndAt < due ? maxEndAt : due;',
    to: 'return due;',
  },
  {
    name: 'gives out what was cancelled',
    file: 'libs/core/kinds/src/debounce/debounce-kind.ts',
    from: "asked.flush ? 'FLUSHED' : 'CANCELLED'",
    to: "asked.flush ? 'FLUSHED' : 'QUIET'",
  },
  {
    name: 'ignores a flush',
    file: 'libs/core/kinds/src/debounce/debounce-kind.ts',
    from: "else if (flush) this.#end('FLUSHED', effects.clock, effects);",
    to: '',
  },
  {
    name: 'waits as long as a record asks',
    file: 'libs/core/kinds/src/debounce/debounce-kind.ts',
    from: 'if (ms <= most) return ms;',
    to: 'if (ms <= WAIT_MAX_MS) return ms;',
    seed: 12,
  },
  {
    name: 'leaves the timer where a wait gets shorter',
    file: 'libs/core/kinds/src/debounce/debounce-kind.ts',
    from: 'effects.changed();\n    if (this.dueAt() < before) effects.dueSooner();',
    to: 'effects.changed();',
  },
  {
    name: 'forgets at a restart how long a window waits',
    file: 'libs/core/kinds/src/debounce/debounce-format.ts',
    from: '  head.waitMs = input.varint();\n  const count',
    to: '  input.varint();\n  const count',
  },
  {
    name: 'keeps the last part of a window to itself',
    file: 'libs/core/partition/src/live/owed-queue.ts',
    from: '    add(record);\n',
    to: '    if (!records.isOver) add(record);\n',
    seed: 34,
  },
  {
    name: 'tells the changelog of no further item',
    file: 'libs/core/kinds/src/debounce/debounce-kind.ts',
    from: 'effects.resized();\n    effects.changed();\n    if (this.dueAt()',
    to: 'effects.resized();\n    if (this.dueAt()',
  },
  {
    name: 'begins what a window comes to again with each item',
    file: 'libs/core/kinds/src/debounce/debounce-kind.ts',
    from: 'const before = goesOn ? keptIdentity(this.#entry.state, this.#entry.openStart) : undefined;',
    to: 'const before = undefined;',
  },
];
