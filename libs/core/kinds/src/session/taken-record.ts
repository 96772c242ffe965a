// The record that is being taken: what it says, where and when it came, and what a session comes to with it (S10).
//
// Owns: a scratch event and a scratch occurrence, filled again for each record: a bare heartbeat allocates nothing; what a
// reducer made of the event, until a session keeps it.
// Does not own: which session the record is of, and what it does to that.
import type { Mutable } from '@flatline/base';
import { blankEvent, ENDED, type EventDecoder, resetEvent, type SessionEvent } from '@flatline/ports/formats';
import type { Effects, GroupRecords, Refusal } from '../contract.ts';
import { inputAt } from '../input-place.ts';
import { decodeInto } from '../refusals.ts';
import type { Occurrence } from './apply-event.ts';
import { isFull } from './capped.ts';
import { blankDetail } from './detail.ts';
import type { Arrival } from './placing.ts';
import type { SessionContext } from './session-context.ts';
import type { SessionOptions } from './session-options.ts';
import { type SeenEvent, type SessionReduced, SessionReducing } from './session-reducing.ts';
import { readSource } from './source-header.ts';

export class TakenRecord {
  readonly #context: SessionContext;
  readonly #reducing: SessionReducing | undefined;
  readonly event: SessionEvent = blankEvent();
  readonly at: Mutable<Occurrence> = { offset: 0, effectiveAt: 0, timestamp: 0 };
  #reduced: SessionReduced | undefined;

  constructor(options: SessionOptions, context: SessionContext) {
    this.#context = context;
    const { reducer } = options.rules;
    this.#reducing = reducer && new SessionReducing(reducer, options, context.partition);
  }

  /** The session's reducer's state with the event; undefined: the event says nothing of it. */
  get reduced(): SessionReduced | undefined {
    return this.#reduced;
  }

  /** Fills the event, also of a bare heartbeat. What it returns is why it cannot. */
  read(records: GroupRecords, decoder: EventDecoder): Refusal | undefined {
    if (records.group.valueLengths[records.index] !== 0) return this.decode(records, decoder);
    resetEvent(this.event);
    return undefined;
  }

  /** Fills the event. What it returns is why it cannot. */
  decode({ bytes, group, headers, index }: GroupRecords, decoder: EventDecoder): Refusal | undefined {
    const { event } = this;
    const length = group.valueLengths[index]!;
    if (length < 0) {
      // A null value is an end without a payload (I2).
      resetEvent(event);
      event.type = ENDED;
      return undefined;
    }
    const undecoded = decodeInto(event, decoder, bytes, group.valueStarts[index]!, length);
    return undecoded ?? readSource(headers.headersOf(index), event);
  }

  /** As it comes to a session by its time (C7); what has a value was decoded. */
  arrivalOf(records: GroupRecords, { clock }: Effects): Arrival {
    const event = records.group.valueLengths[records.index] === 0 ? undefined : this.event;
    const { held, partition } = this.#context;
    return { event, at: this.at, clock, held, partition, seen: this.#seen(records) };
  }

  /** Empties the event, and returns true, if what is kept of the key takes no more than that there was one (S13). */
  mute(isLive: boolean): boolean {
    const { entry, rules } = this.#context;
    if (!isLive || !isFull(entry, rules)) return false;
    resetEvent(this.event);
    return true;
  }

  /** Offsets of a session are those of the input on which it began: of others none can be told from the first. */
  keepToFirstInput({ input }: GroupRecords): void {
    const { firstOffset, lastOffset } = this.#context.entry;
    if (inputAt(firstOffset) !== input) this.at.offset = lastOffset;
  }

  /** Reduces the event, for `keepReduced` (S10). What it returns is why the event is refused. */
  reduce(records: GroupRecords, isLive: boolean, saysNothing = false): Refusal | undefined {
    if (this.#reducing === undefined) return undefined;
    this.#reduced = undefined;
    const seen = saysNothing ? undefined : this.#seen(records);
    if (seen === undefined) return undefined;
    const detail = isLive ? this.#context.entry.detail : undefined;
    const reduced = this.#reducing.withEvent(detail, this.event, seen, this.at);
    if (reduced !== undefined && 'kind' in reduced) return reduced;
    this.#reduced = reduced;
    return undefined;
  }

  /** The session in the window keeps what it has come to with the event. No-op where that says nothing of it. */
  keepReduced(): void {
    if (this.#reduced === undefined) return;
    const { state } = this.#reduced;
    const { entry } = this.#context;
    entry.detail ??= blankDetail(entry.openedAt, entry.lastSeenAt);
    // A setter may keep a copy: what is edited is what the entry has now.
    entry.detail.reduced = state;
    this.#reduced = undefined;
  }

  #seen(records: GroupRecords): SeenEvent | undefined {
    return this.#reducing?.seen(records, this.event, this.at);
  }
}
