// Looks hosts up by the system's resolver, one question for a host at a time.
//
// getaddrinfo takes a thread of libuv's four while it waits, and cannot be called off: names whose servers do not answer would take
// them all from everything else in the process. So names that were slow share a lane of their own, and what is slow for the first
// time moves over as soon as that shows: it holds up others for SLOW_MS at most, while no more than SLOW_UNDER_WAY_MAX are.
//
// Owns: which names were slow, questions under way, who waits.
//
// Invariants
//   RSV1  At most UNDER_WAY_MAX questions are under way in the fast lane, and SLOW_UNDER_WAY_MAX in the slow one.
import type { Clock, DurationMs } from '@flatline/base';
import { lookup } from 'node:dns/promises';

/** All addresses of a host; rejects where there is none, or no answer. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Both lanes together leave a thread to the rest of the process. */
const UNDER_WAY_MAX = 2;
const SLOW_UNDER_WAY_MAX = 1;
/** A question that takes as long is slow, and so is the next for its name. */
const SLOW_MS: DurationMs = 1_000;

class Lane {
  readonly #max: number;
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get hasRoom(): boolean {
    return this.#underWay < this.#max;
  }

  enter(): void {
    this.#underWay += 1;
  }

  /** Resolves once it is entered, in the order of the calls. */
  entered(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    // Its place goes to who waits.
    if (next === undefined) this.#underWay -= 1;
    else next();
  }
}

/** Shared by all endpoints of a process. */
export function systemResolve(clock: Clock, look: Resolve = lookUp): Resolve {
  const asked = new Map<string, Promise<readonly string[]>>();
  const [fast, slow] = [new Lane(UNDER_WAY_MAX), new Lane(SLOW_UNDER_WAY_MAX)];
  /** Bounded by the hosts of the configuration. */
  const wereSlow = new Set<string>();
  const ask = async (hostname: string): Promise<readonly string[]> => {
    let lane = wereSlow.has(hostname) ? slow : fast;
    if (lane.hasRoom) lane.enter();
    else await lane.entered();
    wereSlow.delete(hostname);
    const cancel = clock.after(SLOW_MS, () => {
      wereSlow.add(hostname);
      if (lane === slow || !slow.hasRoom) return;
      slow.enter();
      lane.leave();
      lane = slow;
    });
    try {
      return await look(hostname);
    } finally {
      cancel();
      asked.delete(hostname);
      lane.leave();
    }
  };
  return (hostname) => {
    const found = asked.get(hostname) ?? ask(hostname);
    asked.set(hostname, found);
    return found;
  };
}

async function lookUp(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}
