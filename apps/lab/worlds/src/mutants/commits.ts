// Faults in commits, and in the recovery from failed ones.
import type { EngineMutant } from './mutant.ts';

export const COMMIT_MUTANTS: readonly EngineMutant[] = [
  {
    name: 'drops a close',
    file: 'libs/core/partition/src/commit/output-box.ts',
    from: 'return [...ranges, { from: done, to: this.#directEnd ?? this.#packer.mark }];',
    to: 'const end = this.#directEnd ?? this.#packer.mark; return [...ranges, { from: done, to: { ...end, count: Math.max(done.count, Math.min(6, end.count)) } }];',
  },
  {
    name: 'commits an offset beyond the position',
    file: 'libs/shell/runtime/src/committing/output-records.ts',
    from: 'partition, offset, metadata }',
    to: 'partition, offset: offset + 1, metadata }',
  },
  {
    name: 'never makes up for a group offset that was left out',
    file: 'libs/shell/runtime/src/committing/commit-cycle.ts',
    from: 'return task.hasUncut || committer.offsetPace.isOwed;',
    to: 'return task.hasUncut && committer.lastBlockAt >= 0;',
  },
  {
    name: 'leaves out the group offset behind a claim',
    file: 'libs/shell/runtime/src/committing/committer.ts',
    from: 'this.offsetPace.claimed();',
    to: '',
  },
  {
    name: 'leaves out the group offset before a stop',
    file: 'libs/shell/runtime/src/committing/commit-cycle.ts',
    from: 'this.#parts.committer.offsetPace.handOver(true);',
    to: '',
  },
  {
    name: 'leaves out the group offset where the changelog may lose what it acknowledged',
    file: 'libs/shell/runtime/src/committing/offset-pace.ts',
    from: 'return !electsCleanly || this.#isHandedOver',
    to: 'return this.#isHandedOver',
  },
  {
    name: 'leaves out group offsets for ever',
    file: 'libs/shell/runtime/src/committing/offset-pace.ts',
    from: 'monotonicNow - this.#carriedAt < commitIntervalMs;',
    to: 'this.#carriedAt >= 0;',
  },
  {
    name: 'sends again without looking',
    file: 'libs/shell/runtime/src/committing/committer.ts',
    from: "if (found.kind === 'absent'",
    to: "if (found.kind !== 'lost'",
    seed: 440,
  },
  {
    name: 'gives a commit that ran out of time no more',
    file: 'libs/shell/runtime/src/committing/committer.ts',
    from: 'inFlight.timeoutMs = 2 * timeoutMs;',
    to: 'inFlight.timeoutMs = timeoutMs;',
    seed: 20,
  },
  {
    name: 'takes a failed commit for done',
    file: 'libs/shell/runtime/src/committing/committer.ts',
    from: 'if (!isRecoverable(error)) throw error;\n      // Every hand-over',
    to: 'if (!isRecoverable(error)) throw error;\n      return this.#settle(inFlight, inFlight.cut.blocks.map((_, i) => this.#anchor.offset + 1 + i));\n      // Every hand-over',
  },
  {
    name: 'looks up in a changelog that has lost commits',
    file: 'libs/shell/runtime/src/committing/commit-look-up.ts',
    from: 'if (first?.offset !== anchor.offset || first.id !== anchor.id) return',
    to: 'if (first?.offset === -1) return',
    seed: 638,
  },
  {
    name: 'sends again what the group knows of',
    file: 'libs/shell/runtime/src/committing/commit-look-up.ts',
    from: "return (await knownToGroup(context, commit)) ?? { kind: 'absent' };",
    to: "return { kind: 'absent' };",
    seed: 113,
  },
  {
    name: "writes a commit on top of another owner's that is lost",
    file: 'libs/shell/runtime/src/committing/commit-look-up.ts',
    from: '(known?.sequence ?? -1) >= sequence',
    to: '(known?.sequence ?? -1) >= sequence + 1e9',
    seed: 231_003_380,
  },
  {
    name: 'steps in the middle of a cut',
    file: 'libs/core/partition/src/input/record-taker.ts',
    from: 'if (this.#commit.isFull) return FULL;',
    to: 'if (this.#commit.isFull && !this.#commit.isCutting) return FULL;',
  },
  {
    name: 'expires in the middle of a cut',
    file: 'libs/core/partition/src/live/expiry.ts',
    from: 'if (this.#commit.isFull) return entries.hasBacklog || entries.isEvicting;',
    to: 'if (this.#commit.isFull && !this.#commit.isCutting) return entries.hasBacklog;',
    seed: 19,
  },
];
