// Names and sequence numbers of the senders of a process (S5).
//
// A source is one series of numbers, from 0: what its session has heard under it once is a duplicate the second time. So no two series
// may have one name, whether they are of two objects, two clients, or of a process and the one that was started in its place.
// A name that an application gives is therefore made unique here: `web-1` goes out as `web-1.<process>-<n>`.
//
// Considered: the name as it is, with numbers from a base that falls with the time, so that a later series restarts the window (a fall
// of 64 or more does, S5). It would cost no source for each series, but a process that overlaps with its successor, or a clock that was put
// back, jumps up by the time between, and missingCount has it all. A series of its own is never wrong: it takes one of the session's
// `maxSources`, and what is forgotten for it is the source heard least recently, so the one that has ended.
//
// Owns: names and counts.
// Does not own: which number a record gets (LiveSessions).
//
// Invariants
//   SS1  No two series of numbers have one source, of whatever process; those of one id and name are one series, while it is known.
//   SS2  Series of names known ≤ NAMED_MAX, of a fixed size each. The one asked for least recently is forgotten: asked for again, it
//        is another series, of which nothing is a duplicate.
import { createHash } from 'node:crypto';
import type { SessionId } from './heartbeat-producer.ts';

/** Ids with a name whose counts are kept. */
export const NAMED_MAX = 10_000;
/** Number of senders that ten characters tell apart. */
const SENDERS = 36 ** 10;

/** A series of numbers. */
export interface Numbers {
  readonly source: string;
  /** Number of the next event. */
  next: number;
}

export class SenderSources {
  readonly #sender: string;
  readonly #named = new Map<string, Numbers>();
  #count = 0;

  /** `random`: from 0 up to 1; no other process draws the same. */
  constructor(random: () => number) {
    this.#sender = Math.floor(random() * SENDERS).toString(36);
  }

  /** A series for an object of its own. */
  unnamed(): Numbers {
    return { source: this.#nextSeries(), next: 0 };
  }

  /** The series of all objects of this id and name. */
  named(id: SessionId, name: string): Numbers {
    const key = digestOf(id, name);
    const numbers = this.#named.get(key) ?? { source: `${name}.${this.#nextSeries()}`, next: 0 };
    this.#named.delete(key);
    this.#named.set(key, numbers);
    if (this.#named.size > NAMED_MAX) this.#named.delete(this.#named.keys().next().value!);
    return numbers;
  }

  #nextSeries(): string {
    this.#count += 1;
    return `${this.#sender}-${this.#count.toString(36)}`;
  }
}

/** A name of a fixed size, whatever ids are like. */
function digestOf(id: SessionId, name: string): string {
  return createHash('sha256').update(`${name.length}:${name}`).update(id).digest('base64');
}
