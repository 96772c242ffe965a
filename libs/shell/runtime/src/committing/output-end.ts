// The offset on a task's output partition between what it has committed and what it will: readers who know a state of it go on from
// there (Q3).
//
// Owns: that offset, where it is known.
// Does not own: commits (Committer).
//
// Invariants
//   OE1  All outputs of the commits that are settled lie below `end`, and all of later ones at or above it. Other owners' do
//        likewise: those before were fenced with their transactions ended before this one's first commit, and one that comes
//        after has this one's last commit below it.
//   OE2  Answers of the leader count only where no commit with outputs was on its way while it was asked, and no other owner can
//        have written any.

export class OutputEnd {
  readonly #askLeader: () => Promise<number | undefined>;
  #end: number | undefined;
  /** Commits with outputs that were sent. */
  #sent = 0;
  #isInFlight = false;
  #asking: Promise<void> | undefined;

  /** `askLeader`: where the partition ends, undecided records included; undefined where another owner may have written there. */
  constructor(askLeader: () => Promise<number | undefined>) {
    this.#askLeader = askLeader;
  }

  /** As of the last settled commit; undefined: it is not known. */
  get end(): number | undefined {
    return this.#isInFlight ? undefined : this.#end;
  }

  /** A commit with outputs goes out. */
  sent(): void {
    this.#sent += 1;
    this.#isInFlight = true;
  }

  /** It is in the log, its outputs at these offsets; undefined: its answer was lost. */
  settled(offsets: readonly number[] | undefined): void {
    this.#isInFlight = false;
    const last = offsets?.at(-1);
    this.#end = last === undefined ? undefined : last + 1;
  }

  /** Asks where it is not known, unless a commit with outputs is on its way, which will tell. @throws as `LogAdmin.replicatedEnd` */
  learn(): Promise<void> {
    if (this.#end !== undefined || this.#isInFlight) return Promise.resolve();
    // One question for all who wait: a zombie's is answered by nothing, again and again, until they give up.
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const sent = this.#sent;
    const end = await this.#askLeader();
    if (this.#sent === sent) this.#end ??= end;
  }
}
