// Steps that time has brought about for one key since its last record, instant by instant.
//
// Owns: their order, which of them the changelog shows.
// Does not own: what has taken effect (EntriesFold).
import type { Millis } from '@flatline/base';
import type { LoggedImage } from '../logs/changelog-fold.ts';
import { IdQueue } from './id-queue.ts';
import type { ExpectedRecord } from './reading.ts';

export interface Step<State> {
  readonly before: State | undefined;
  readonly dueAt: Millis;
  /** Lives that began with it. */
  readonly opened: number;
  readonly expected: readonly ExpectedRecord[];
}

/** A look at what the changelog has of the key: steps that came before `at` did not begin there. */
interface Look<State> {
  readonly logged: LoggedImage;
  readonly found: State | undefined;
  at: number;
  isThere: boolean;
}

export class Steps<State> extends IdQueue<Step<State>> {
  #look: Look<State> | undefined;

  constructor() {
    super(({ expected }) => expected.map(({ id }) => id));
  }

  /** In order. */
  takeUpTo(end: number): readonly Step<State>[] {
    const taken: Step<State>[] = [];
    while (this.first < end) taken.push(this.take(this.first));
    if (this.size === 0) this.#look = undefined;
    return taken;
  }

  /**
   * The place behind those in front that stand, so many that `most` records are theirs. Where the key `isOver`, what says nothing
   * behind the last one that does is among them.
   */
  standingEnd(most: number, isOver: boolean, stands: (id: string) => boolean): number {
    let end = this.first;
    let said = 0;
    for (let place = this.first; place < this.end; place += 1) {
      const { expected } = this.at(place)!;
      if (expected.length === 0) continue;
      if (said >= most || !expected.every(({ id }) => stands(id))) return end;
      said += expected.length;
      end = place + 1;
    }
    return isOver ? this.end : end;
  }

  /**
   * True if the changelog has the state before one of the steps up to that at `place`: none of these has taken effect in it.
   * However often it is asked, each is compared with it once. @throws NotABlock from `read`
   */
  isShownBefore(
    place: number,
    logged: LoggedImage,
    {
      read,
      isSame,
    }: {
      readonly read: (logged: LoggedImage) => State | undefined;
      readonly isSame: (found: State | undefined, before: State | undefined) => boolean;
    },
  ): boolean {
    if (this.#look?.logged !== logged) this.#look = { logged, found: read(logged), at: this.first, isThere: false };
    const look = this.#look;
    if (look.at < this.first) {
      look.at = this.first;
      look.isThere = false;
    }
    while (!look.isThere && look.at <= place) {
      look.isThere = isSame(look.found, this.at(look.at)!.before);
      if (!look.isThere) look.at += 1;
    }
    return look.isThere && look.at <= place;
  }
}
