// Which of a key's open sessions data belongs to that is no sign of life, where sessions go by the time of their events (S8, C7).
import { blankEvent, type SessionEvent } from '@flatline/ports/formats';
import { type Applied, applyData } from './apply-event.ts';
import { isFull } from './capped.ts';
import type { SessionRules } from './entry.ts';
import { copyOfFragment, type Fragment, reachEnd } from './fragment.ts';
import { Unreduced } from './joined-fragments.ts';
import { type Arrival, reduce } from './placing.ts';
import type { Bad } from '../refusals.ts';

export interface DataArrival extends Arrival {
  readonly event: SessionEvent;
}

export type DataPlaced =
  | {
      readonly kind: 'placed';
      /** All of the key's. */
      readonly fragments: readonly Fragment[];
      readonly applied: Applied;
      /** It came beyond `maxEvents`, and says nothing but that there was an event (S13). */
      readonly isMuted: boolean;
    }
  /** By the reducer (S10). */
  | { readonly kind: 'refused'; readonly refusal: Bad };

/** It is of the first that ends behind its time, or else of the last one there is. `fragments`: at least one. */
export function placeData(fragments: readonly Fragment[], arrival: DataArrival, rules: SessionRules): DataPlaced {
  const { event, at, held } = arrival;
  const met = fragments.find((each) => at.effectiveAt < reachEnd(each, held)) ?? fragments.at(-1)!;
  const told = copyOfFragment(met);
  try {
    const isMuted = isFull(met, rules);
    const applied = applyData(told, rules, isMuted ? blankEvent() : event, at);
    if (!applied.duplicate && !isMuted) reduce(told, arrival, rules);
    return { kind: 'placed', fragments: fragments.map((each) => (each === met ? told : each)), applied, isMuted };
  } catch (error) {
    if (error instanceof Unreduced) return { kind: 'refused', refusal: error.refusal };
    throw error;
  }
}
