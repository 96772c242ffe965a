// The due instants that have taken effect for one key since its last record, as steps in order.
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
  /** Number of lives that began with it. */
  readonly opened: number;
  readonly expected: readonly ExpectedRecord[];
  /** Undoes what else was made of it. */
  readonly takeBack?: (() => void) | undefined;
}

/** A comparison with the key's image in the changelog: it shows none of the states before steps below `at`. */
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
   * The place behind the leading steps whose records all stand, until those are `most` records. If the key `isOver`, steps without
   * records behind the last of them are included.
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
   * True if the changelog shows the state before one of the steps up to that at `place`: then the latter has not taken effect in it.
   * However often this is asked, each step is compared with an image once. @throws NotABlock from `read`
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
