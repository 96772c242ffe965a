// Adds an event to the state of a session's reducer (S10), or says why it is refused, before anything of it is applied.
//
// Owns: the event as the reducer sees it.
// Does not own: where the state is kept (SessionDetail), what its bytes mean (StateReducer).
import { assert } from '@flatline/base';
import { type EventDecoder, type SessionEvent, STARTED } from '@flatline/ports/formats';
import type { GroupRecords } from '../contract.ts';
import type { ReducerEvent, StateReducer } from '../reducing/index.ts';
import type { Bad } from '../refusals.ts';
import { type BytesSpan, spanOf } from '../state-bytes.ts';
import type { Occurrence } from './apply-event.ts';
import { partLength } from './behind-part.ts';
import type { SessionDetail } from './detail.ts';
import type { SessionRules } from './entry.ts';
import type { SessionOptions } from './session-options.ts';
import { wasReceived } from './sequence-window.ts';
import { sourcesOf } from './sources.ts';

/** Makes the event, another one each time that it is asked for: what a reducer is given is its own. */
export type SeenEvent = () => ReducerEvent;

export interface SessionReduced {
  readonly state: BytesSpan;
  /** By how much the session's state grows with it; less than 0: it shrinks. */
  readonly grownBy: number;
}

export class SessionReducing {
  readonly #reducer: StateReducer;
  readonly #rules: SessionRules;
  /** By the number of the input. */
  readonly #decoders: readonly EventDecoder[];
  readonly #partition: number;

  constructor(reducer: StateReducer, { rules, decoder, inputs }: SessionOptions, partition: number) {
    this.#decoders = inputs?.map((input) => input.decoder) ?? [decoder];
    const areShown = this.#decoders.every((each) => each.fields !== undefined);
    assert(areShown, 'a decoder of events that are reduced shows all their fields');
    this.#reducer = reducer;
    this.#rules = rules;
    this.#partition = partition;
  }

  /** undefined: the record has no value, and says nothing to a reducer. */
  seen({ bytes, group, index, input }: GroupRecords, event: SessionEvent, at: Occurrence): SeenEvent | undefined {
    const length = group.valueLengths[index]!;
    if (length <= 0) return undefined;
    const start = group.valueStarts[index]!;
    const decoder = this.#decoders[input]!;
    return () => ({
      type: event.type,
      attributes: Object.assign(
        Object.create(null) as Record<string, string>,
        Object.fromEntries(event.attributes ?? []),
      ),
      fields: decoder.fields!(bytes, start, length),
      occurredAt: event.occurredAt ?? at.timestamp,
      effectiveAt: at.effectiveAt,
      offset: at.offset,
    });
  }

  /** undefined: the event is a duplicate, which changes nothing. `detail`: of its session; undefined: it has none yet. */
  withEvent(
    detail: SessionDetail | undefined,
    event: SessionEvent,
    seen: SeenEvent,
    { offset }: Occurrence,
  ): SessionReduced | Bad | undefined {
    if (isDuplicate(detail, this.#rules, event)) return undefined;
    const before = detail?.reduced;
    const after = this.#reducer.add(before, seen, { partition: this.#partition, offset });
    if ('kind' in after) return after;
    const state = spanOf(after);
    return { state, grownBy: partLength(state) - partLength(before) };
  }
}

/** True if the session has seen the event before (S5). Changes nothing. */
function isDuplicate(
  detail: SessionDetail | undefined,
  { maxSources }: SessionRules,
  { eventId, sequence, source, type }: SessionEvent,
): boolean {
  if (detail === undefined) return false;
  const { texts } = detail;
  if (eventId !== undefined && texts?.hasEventId(eventId) === true) return true;
  if (sequence === undefined) return false;
  const isNamed = source !== undefined && maxSources > 0;
  const window = isNamed ? texts && sourcesOf(texts)?.windows.get(source) : detail.sequence;
  return window !== undefined && wasReceived(window, sequence, type === STARTED);
}
