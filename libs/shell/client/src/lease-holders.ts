// Holders of the leases of one pipeline, each told what is said of its lease.
//
// Owns: the holders that live, or that something may yet be granted to; which of them lead.
// Does not own: what a holder believes (LeaseHolder, ResumedHolder), whoever waits for it.
import { ENDED } from '@flatline/ports/formats';
import type { HeardEvent } from './answer-reader.ts';
import type { LeaseHolder } from './lease-holder.ts';
import type { ResumedHolder } from './resumed-holder.ts';

/** A start, or a token that is known. */
export type Holder = LeaseHolder | ResumedHolder;

/** Holders that are over and may yet be granted a lease, which they give back. The oldest is forgotten: its lease expires. */
const OWED_MAX = 10_000;

export class LeaseHolders {
  /** By lease: an output speaks of all of them. */
  readonly #holders = new Map<string, Set<Holder>>();
  /** Holders that are over and owe an end, the oldest first, each with the id of its lease. */
  readonly #owed = new Map<Holder, string>();
  /** Holders of leases that an application leads by. */
  readonly #led = new Set<Holder>();

  add(id: string, holder: Holder): void {
    const holders = this.#holders.get(id) ?? new Set<Holder>();
    this.#holders.set(id, holders.add(holder));
  }

  /** An application leads by its lease, which is now held. */
  lead(holder: Holder): void {
    this.#led.add(holder);
  }

  /** It is over. While something may be granted to it, it hears on, unless nothing is heard any more. */
  over(id: string, holder: Holder, isHearing: boolean): void {
    this.#led.delete(holder);
    if (!holder.isOwed || !isHearing) {
      this.#remove(id, holder);
      return;
    }
    this.#owed.set(holder, id);
    for (const [oldest, of] of this.#owed) {
      if (this.#owed.size <= OWED_MAX) break;
      this.#remove(of, oldest);
    }
  }

  hear(event: HeardEvent): void {
    const { leaseId } = event;
    for (const holder of [...(this.#holders.get(leaseId) ?? [])]) {
      holder.hear(event);
      if (this.#owed.has(holder) && !holder.isOwed) this.#remove(leaseId, holder);
    }
  }

  /** Withdraws holders that wait, before anything else is given back, or one of them may be granted it. */
  withdraw(): void {
    this.#release((holder) => holder.isWaiting);
  }

  /** All but those that lead: who leads may yet act. */
  release(): void {
    this.#release((holder) => !this.#led.has(holder));
  }

  /**
   * Nothing can be asked for or heard any more: who holds a lease may yet act until it has looked, and believes no more. Its lease
   * expires, and who waits withdraws.
   */
  giveUp(): void {
    this.withdraw();
    for (const holders of [...this.#holders.values()])
      for (const holder of [...holders]) if (!holder.isWaiting) holder.giveUp(ENDED);
  }

  /** Holders that lead give up, and believe no more: their leases expire. */
  giveBackAll(): void {
    for (const holder of [...this.#led]) holder.giveUp(ENDED);
    this.withdraw();
    this.#release(() => true);
  }

  #release(isMeant: (holder: Holder) => boolean): void {
    for (const holders of [...this.#holders.values()])
      for (const holder of [...holders]) if (isMeant(holder)) holder.release();
  }

  #remove(id: string, holder: Holder): void {
    this.#owed.delete(holder);
    const holders = this.#holders.get(id);
    holders?.delete(holder);
    if (holders?.size === 0) this.#holders.delete(id);
  }
}
