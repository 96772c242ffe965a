// Faults in statistics (S12).
import type { Mutant } from '../mutants/mutant.ts';

const STATISTICS = 'libs/core/kinds/src/session/statistics/session-statistics.ts';
const LIVE = 'libs/core/partition/src/live/live-entries.ts';
const PASSED = 'libs/core/partition/src/live/passed-instants.ts';

export const STATS_MUTANTS: readonly Mutant[] = [
  {
    name: 'lets what is due behind a window take effect before that is passed',
    file: PASSED,
    from: 'return Math.min(clock, this.#aim - 1);',
    to: 'return clock;',
  },
  {
    name: 'counts what closes at the end of a window in it',
    file: PASSED,
    from: 'return Math.min(clock, this.#aim - 1);',
    to: 'return Math.min(clock, this.#aim);',
  },
  {
    name: 'takes a record before the windows are passed that its clock has reached',
    file: 'libs/core/partition/src/input/record-taker.ts',
    from: 'if (this.#entries.mustPass) return DUE;',
    to: 'if (this.#entries.mustPass && limit < 0) return DUE;',
  },
  {
    name: 'begins its statistics from nothing with each start',
    file: LIVE,
    from: 'this.kept.begin(kept, this.clock, positions);',
    to: 'this.kept.begin(kept && undefined, this.clock, positions);',
  },
  {
    name: 'forgets after a start who was open',
    file: LIVE,
    from: 'this.kept.restored();',
    to: 'if (slot < 0) this.kept.restored();',
  },
  {
    name: 'puts a power of two into the bin behind it',
    file: 'libs/core/kinds/src/session/statistics/duration-bins.ts',
    from: 'if (mantissa <= BOUNDS[middle]!) most = middle;',
    to: 'if (mantissa < BOUNDS[middle]!) most = middle;',
  },
  {
    name: 'expects of a count what the one before it was',
    file: 'libs/core/kinds/src/session/statistics/packed-counts.ts',
    from: 'return Math.floor((this.#last + this.#before) / 2);',
    to: 'return this.#last;',
  },
  {
    name: 'gives one value more a place',
    file: STATISTICS,
    from: 'known.size >= max',
    to: 'known.size > max',
  },
  {
    name: 'leaves a session that changes an attribute where it was',
    file: STATISTICS,
    from: 'this.#move(after, 1);',
    to: 'this.#move(before, 1);',
  },
  {
    name: 'counts sessions from before it began',
    file: STATISTICS,
    from: 'offsetAt(firstOffset) >= this.#since[inputAt(firstOffset)]!',
    to: 'this.#since[inputAt(firstOffset)]! >= 0',
  },
  {
    name: 'counts sessions of a further input from before it began',
    seed: 434,
    file: STATISTICS,
    from: 'this.#since[inputAt(firstOffset)]!',
    to: 'this.#since[0]!',
  },
  {
    name: 'closes of a key at once what is due behind the end of a window',
    file: LIVE,
    from: 'if (!this.#isEvicting) return this.#horizon;',
    to: 'if (!this.#isEvicting) return this.clock;',
  },
  {
    name: 'leaves a session that another absorbs among those that are open',
    file: STATISTICS,
    from: 'for (const label of left.values()) this.#goes(label);',
    to: 'void left;',
  },
  {
    name: 'counts after a start what waits for revisions as open',
    file: 'libs/core/kinds/src/session/open-statistics.ts',
    from: 'if (isClosed(entry)) return [];',
    to: '',
  },
  {
    name: 'does not tell statistics of a session that closes and waits',
    file: 'libs/core/kinds/src/session/revisions.ts',
    from: 'onClosed(fragment, summary);',
    to: 'if (closedAt < 0) onClosed(fragment, summary);',
  },
  {
    name: 'leaves a session where it was whose attributes data changes',
    file: 'libs/core/kinds/src/session/session-data.ts',
    from: 'if (standing !== undefined) stats!.moved(entry, standing);',
    to: 'void standing;',
  },
  {
    name: 'leaves a session that is erased among those that are open',
    file: STATISTICS,
    from: 'this.#move(label, -1);\n    // Said, for what is active in it.',
    to: '// Said, for what is active in it.',
    seed: 21_908_282,
  },
  {
    name: 'says nothing of a value that sessions have left',
    file: STATISTICS,
    from: 'this.#count(before, () => undefined);',
    to: 'void before;',
    seed: 21_908_282,
  },
];
