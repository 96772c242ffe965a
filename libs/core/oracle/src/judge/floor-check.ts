// Checks what each commit's floor leaves of the changelog: every base of what lives (K3), and at most a multiple of that (K8).
//
// Owns: the lengths of the blocks above the floor.
// Does not own: what lives (ChangelogFold).
//
// Invariants
//   FC1  The sweep is paced by bytes written: where most entries end at once, the log is too long for what lives until others have
//        been written. So a breach counts only once the log has grown, since it was last short enough, by the length allowed it.
import type { ChangelogFold } from '../logs/changelog-fold.ts';
import type { CommonRules, LogRecord } from '../logs/history.ts';
import type { Commit } from './commit-chain.ts';
import type { Place } from './place.ts';

interface Block {
  readonly offset: number;
  readonly bytes: number;
}

/** docs/SPEC.md, K8. */
const UNSWEPT_BYTES_MAX = 2 * 1024 * 1024;
/** Bytes of a base beside key, head and pages: kind, slot, lengths. */
const BASE_BYTES = 8;

export class FloorCheck {
  readonly #place: Place;
  readonly #rules: CommonRules;
  #blocks: Block[] = [];
  #bytes = 0;
  /** Bytes written since the log was last short enough. */
  #writtenBytes = 0;

  constructor(place: Place, rules: CommonRules) {
    this.#place = place;
    this.#rules = rules;
  }

  /** Takes in the next record of the changelog. */
  took({ offset, value }: LogRecord): void {
    const bytes = value?.length ?? 0;
    this.#blocks.push({ offset, bytes });
    this.#bytes += bytes;
    this.#writtenBytes += bytes;
  }

  check(commit: Commit, changelog: ChangelogFold): void {
    const { floor } = commit.header;
    const kept = this.#blocks.findIndex(({ offset }) => offset >= floor);
    // A floor that makes no sense is reported elsewhere.
    const passed = this.#blocks.slice(0, Math.max(0, kept));
    for (const { offset, bytes } of passed) {
      this.#bytes -= bytes;
      const bases = changelog.basesAt(offset);
      if (bases > 0) this.#passed(commit, offset, bases);
    }
    if (passed.length > 0) this.#blocks = this.#blocks.slice(passed.length);
    this.#checkLength(commit, changelog);
  }

  #passed({ header, firstOffset }: Commit, offset: number, bases: number): void {
    this.#place.violation('K3', {
      offset: firstOffset,
      what: `commit ${header.commitId} states the floor ${header.floor}, and ${bases} that live have their base at ${offset}`,
    });
  }

  #checkLength({ header, firstOffset }: Commit, { liveBytes, images }: ChangelogFold): void {
    const { changelogFactor, unsweptBytesMax = UNSWEPT_BYTES_MAX } = this.#rules;
    if (changelogFactor === undefined) return;
    const most = Math.max(unsweptBytesMax, changelogFactor * (liveBytes + BASE_BYTES * images.size));
    if (this.#bytes <= most) this.#writtenBytes = 0;
    if (this.#writtenBytes <= most) return;
    this.#writtenBytes = 0;
    this.#place.violation('K8', {
      offset: firstOffset,
      what:
        `the log has ${this.#bytes} bytes above the floor ${header.floor} of commit ${header.commitId}, ` +
        `${liveBytes} live in it: ${most} are allowed, and as many were written since it had no more`,
    });
  }
}
