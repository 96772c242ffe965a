// Who has the couriers of a partition, as their writers tell: of two of one transactional id, the one with the greater epoch has fenced
// the other. Neither who asked first nor who was answered first says so.
//
// Owns: who has asked for a writer, and who was given one, since when.
// Does not own: the writers.
//
// Invariants
//   WO1  Whoever asks counts as the newest owner meanwhile: the broker may have fenced all others for him.
//   WO2  Whoever asked in vain, or was killed as he asked, counts until another is given a writer that he asked for later.
import type { DurationMs, Millis } from '@flatline/base';

/** A process at its time. */
export interface Asker {
  readonly process: string;
  /** False: it was killed. */
  readonly isAlive: () => boolean;
}

interface Opening extends Asker {
  /** Which of all, in the order in which they were asked for. */
  readonly number: number;
  /** Infinity: none was given. */
  epoch: number;
  openedAt: Millis;
  isRefused: boolean;
}

export interface Ownership {
  /** Process, `#`, and the number of the last writer that it asked for. */
  readonly run: string;
  readonly isStale: boolean;
  /** How long the first writer of another behind its own had been open by then; 0: there is none. */
  readonly fencedMs: DurationMs;
}

export class Openings {
  #asked = 0;
  /** By transactional id, in the order of their epochs, then whoever has none. */
  readonly #byId = new Map<string, Opening[]>();

  /** Opens a writer of this id by `open`. @throws what that throws */
  async opened<T extends { readonly epoch: number }>(
    id: string,
    asker: Asker,
    { open, now }: { readonly open: () => Promise<T>; readonly now: () => Millis },
  ): Promise<T> {
    this.#asked += 1;
    const own: Opening = { ...asker, number: this.#asked, epoch: Infinity, openedAt: Infinity, isRefused: false };
    this.#byId.set(id, [...this.#of(id), own]);
    try {
      const writer = await open();
      Object.assign(own, { epoch: writer.epoch, openedAt: now() });
      this.#given(id, own);
      return writer;
    } catch (error) {
      own.isRefused = true;
      throw error;
    }
  }

  /** As of an attempt of this process in a partition. */
  ownership(partition: number, process: string, now: Millis): Ownership {
    const [id = ''] = [...this.#byId.keys()].filter((each) => each.endsWith(`.${partition}`));
    const all = this.#of(id);
    const own = all.findLastIndex((each) => each.process === process);
    const fencedAt = Math.min(...all.slice(1 + own).map(({ openedAt }) => openedAt));
    return {
      run: `${process}#${all[own]?.number ?? 0}`,
      isStale: all.at(-1)?.process !== process,
      fencedMs: Math.max(0, now - fencedAt),
    };
  }

  /** WO2. */
  #given(id: string, own: Opening): void {
    const isVain = ({ epoch, number, isRefused, isAlive }: Opening): boolean =>
      epoch === Infinity && number < own.number && (isRefused || !isAlive());
    const all = this.#of(id).filter((each) => !isVain(each));
    this.#byId.set(
      id,
      all.sort((a, b) => (a.epoch === b.epoch ? 0 : a.epoch - b.epoch)),
    );
  }

  #of(id: string): readonly Opening[] {
    return this.#byId.get(id) ?? [];
  }
}
