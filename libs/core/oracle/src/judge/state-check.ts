// The state in the changelog against the state that the input gives, commit by commit (V3, V5, V11, R1, K3).
//
// Owns: the comparison.      Does not own: either state (NaiveFold, ChangelogFold).
//
// Invariants
//   ST1  A key is compared when a record or a block named it since the last commit: a key that none named has not changed.
import { NotABlock } from '../logs/block-reader.ts';
import { bytesOf, textOf } from '../logs/byte-names.ts';
import type { LoggedImage, ChangelogFold } from '../logs/changelog-fold.ts';
import type { Commit } from './commit-chain.ts';
import type { NaiveFold } from '../rules/session/naive-fold.ts';
import type { Session } from '../rules/session/naive-session.ts';
import type { Place } from './place.ts';
import { differences, readImage } from '../rules/session/session-image.ts';

export class StateCheck {
  readonly #place: Place;
  readonly #fold: NaiveFold;
  readonly #changelog: ChangelogFold;

  constructor(place: Place, fold: NaiveFold, changelog: ChangelogFold) {
    this.#place = place;
    this.#fold = fold;
    this.#changelog = changelog;
  }

  /**
   * Compares the keys after `commit`; sessions that the processor has closed since they were due are closed in the fold,
   * too. `named`: keys in the commit's blocks; `before`: the input position of the commit before. Returns the incarnations
   * that left the changelog before their time.
   */
  compare(keys: Iterable<string>, named: ReadonlySet<string>, commit: Commit, before: number): Set<string> {
    const early = new Set<string>();
    for (const name of keys) {
      const session = this.#fold.open.get(name);
      const logged = this.#changelog.images.get(name);
      if (logged !== undefined) this.#checkImage(logged, session, named.has(name) ? before : 0);
      else if (session !== undefined && this.#fold.isDue(session)) this.#fold.closeDue(name, bytesOf(name));
      else if (session !== undefined) this.#checkMissing(name, session, named.has(name), { commit, early });
    }
    return early;
  }

  /** What each header says of the state after it (R1), and that its floor keeps its own commit (K3). */
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
      say(`says the clock is ${header.clock}, by the input before ${header.position} it is ${this.#fold.clock}`);
  }

  /** K3, for the last commit: nothing that lives has its image below the floor, and the log begins at or below it. */
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

  #checkImage(logged: LoggedImage, session: Session | undefined, namedAfter: number): void {
    const where = { offset: logged.offset, key: textOf(logged.key) };
    const image = this.#read(logged);
    if (image === undefined) return;
    if (session === undefined) {
      const returns = image.firstOffset < namedAfter;
      this.#place.violation(returns ? 'V11' : 'V5', {
        ...where,
        what: `the changelog holds the incarnation ${this.#place.partition}-${image.firstOffset}, which the input ${returns ? 'had closed before: it returns' : 'does not leave open'}`,
      });
      return;
    }
    const different = differences(image, session);
    if (different.length > 0)
      this.#place.violation('V5', { ...where, what: `the changelog differs from the input: ${different.join('; ')}` });
  }

  #checkMissing(
    name: string,
    session: Session,
    wasRemoved: boolean,
    { commit, early }: { readonly commit: Commit; readonly early: Set<string> },
  ): void {
    const incarnation = `${this.#place.partition}-${session.firstOffset}`;
    const where = { offset: commit.firstOffset, key: textOf(bytesOf(name)) };
    const { position } = commit.header;
    if (!wasRemoved) {
      this.#place.violation('V5', {
        ...where,
        what: `the changelog lacks ${incarnation}, open at position ${position}`,
      });
      return;
    }
    this.#place.violation('V3', {
      ...where,
      what:
        `${incarnation} was closed early: no record below position ${position} has reached its deadline ` +
        `${this.#fold.deadlineOf(session)}, the clock was ${this.#fold.clock}`,
    });
    // From here on the checker follows the processor, or every later record of the key would be one more violation.
    this.#fold.open.delete(name);
    early.add(incarnation);
  }

  #read({ image, key, offset }: LoggedImage): Session | undefined {
    try {
      return readImage(image);
    } catch (error) {
      if (!(error instanceof NotABlock)) throw error;
      this.#place.violation('K9', { offset, key: textOf(key), what: `its image ${error.message}` });
      return undefined;
    }
  }
}
