// Compares the state in the changelog with the state that the input gives, commit by commit (V3, V5, V11, R1, K3).
//
// Owns: the comparison.
// Does not own: either state (EntriesFold, ChangelogFold).
//
// Invariants
//   ST1  A key is compared when a record or a block named it since the last commit: a key that none named has not changed.
import { type Positions, positionsText } from '../logs/places.ts';
import { NotABlock } from '../logs/block-reader.ts';
import { bytesOf, textOf } from '../logs/byte-names.ts';
import type { LoggedImage, ChangelogFold } from '../logs/changelog-fold.ts';
import type { Commit } from './commit-chain.ts';
import type { AfterCommit, EntryFault, KindReading } from '../rules/reading.ts';
import type { Place } from './place.ts';

export class StateCheck {
  readonly #place: Place;
  readonly #fold: KindReading['fold'];
  readonly #changelog: ChangelogFold;

  constructor(place: Place, { fold }: KindReading, changelog: ChangelogFold) {
    this.#place = place;
    this.#fold = fold;
    this.#changelog = changelog;
  }

  /** Compares the keys after `commit`. `named`: those in its blocks; `before`: the positions of the commit before. */
  compare(keys: Iterable<string>, named: ReadonlySet<string>, commit: Commit, before: Positions): void {
    for (const name of keys) {
      const isNamed = named.has(name);
      const logged = this.#changelog.images.get(name);
      const where = { offset: logged?.offset ?? commit.firstOffset, key: textOf(bytesOf(name)) };
      const after = { position: commit.header.position, namedAfter: isNamed ? before : [], isNamed };
      for (const { rule, what } of this.#compare(name, logged, after)) this.#place.violation(rule, { ...where, what });
    }
  }

  /** Checks the facts that each header states of the state after it (R1), and that its floor keeps its own commit (K3). */
  checkHeader({ header, firstOffset }: Commit, isLogAppendTime: boolean): void {
    if (header.floor > firstOffset)
      this.#place.violation('K3', {
        offset: firstOffset,
        what: `commit ${header.commitId} states the floor ${header.floor}, above itself`,
      });
    const { images, digest } = this.#changelog;
    const say = (what: string): void => {
      this.#place.violation('R1', { offset: firstOffset, what: `commit ${header.commitId} ${what}` });
    };
    if (header.liveEntries !== images.size)
      say(`says ${header.liveEntries} entries live, the changelog has ${images.size}`);
    if (header.digest !== digest) say(`has the digest ${header.digest}, its entries have ${digest}`);
    // On CreateTime the present bounds the clock (C6).
    if (isLogAppendTime && header.clock !== this.#fold.clock)
      say(
        `says the clock is ${header.clock}, by the input before ${positionsText(header.positions)} it is ${this.#fold.clock}`,
      );
  }

  /** K3, for the last commit: no live entry has its image below the floor, and the log begins at or below the floor. */
  checkFloor({ header, firstOffset }: Commit, logStart: number): void {
    if (logStart > header.floor)
      this.#place.violation('K3', {
        offset: firstOffset,
        what: `the changelog begins at ${logStart}, above the floor ${header.floor} of its last commit`,
      });
    for (const { key, offset } of this.#changelog.images.values())
      if (offset < header.floor)
        this.#place.violation('K3', {
          offset,
          key: textOf(key),
          what: `its image lies below the floor ${header.floor}`,
        });
  }

  #compare(name: string, logged: LoggedImage | undefined, after: AfterCommit): readonly EntryFault[] {
    try {
      return this.#fold.compare(name, logged, after);
    } catch (error) {
      if (!(error instanceof NotABlock)) throw error;
      return [{ rule: 'K9', what: `its image ${error.message}` }];
    }
  }
}
