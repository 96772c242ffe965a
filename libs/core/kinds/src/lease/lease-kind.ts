// Leases as a kind: what a record does to one, and what is answered (L1–L7).
//
//           STARTED                     ENDED with the token ──▶ RELEASED ─┐
//   free ─────────────▶ held ──┬── anything with it: renewed               ├──▶ granted to the first that waits,
//     ▲                  ▲     └── deadline ──▶ EXPIRED ──▶ lock delay ────┘    else free
//     └──────────────────┴────────────────────────────────────────────────────────┘
//
// Who waits leaves by its turn, by time (WAITED), or by an end of no lease that names its start (WITHDRAWN).
//
// Owns: nothing that outlives a call; scratch for the record being taken.
// Does not own: entries, timers, commits (the engine).
//
// Invariants
//   LS1  A lease is held from GRANTED to EXPIRED or RELEASED, each said once, in the order of the log.
//   LS2  Tokens of a key grow from grant to grant: waiters are granted in log order, and a start is granted at once only
//        where none waits.
//   LS3  What is due at one instant takes effect in one order: the lease or its lock delay ends, the first that waits is
//        granted, then all that have waited long enough are told.
import { copyBytes, type Millis } from '@flatline/base';
import { ENDED, type LeaseEventEncoder, type LeaseRequestDecoder, STARTED } from '@flatline/ports/formats';
import type { Eviction } from '../acts/eviction.ts';
import type { Effects, Evicting, Kind, KindParts, PipelineKind, Refusal, GroupRecords } from '../contract.ts';
import { bad, NO_ROOM } from '../refusals.ts';
import { LeaseAnswers } from './lease-answers.ts';
import type { LeaseCounters } from './lease-counters.ts';
import { zeroLeaseCounters } from './lease-counters.ts';
import { deadlineReason, ownDueAt } from './lease-deadline.ts';
import { leaseFormat } from './lease-format.ts';
import type { LeaseRules } from './lease-rules.ts';
import {
  claimedBefore,
  type Claim,
  type LeaseState,
  leaseState,
  NO_CLAIM,
  nextWaitOf,
  stateBytes,
  type Waiter,
} from './lease-state.ts';
import { NO_TOKEN, TOKEN_OFFSETS, tokenOf, withinEpoch } from './lease-token.ts';
import { STATE_BYTES_MAX } from '../state-bytes.ts';
import { type Answered, LeaseVoice } from './lease-voice.ts';
import type { LeaseWindow } from './lease-window.ts';
import { RequestReader } from './request-reader.ts';

export interface LeaseOptions {
  readonly rules: LeaseRules;
  readonly decoder: LeaseRequestDecoder;
  readonly encoder: LeaseEventEncoder;
  /** True if a tombstone follows the end of each lease. */
  readonly tombstones: boolean;
  /** Named where an event cannot be encoded. */
  readonly outputTopic: string;
}

type LeaseParts = KindParts<LeaseWindow, LeaseCounters>;

const RENEWALS_MAX = 2 ** 32 - 1;

export function leaseKind(options: LeaseOptions): PipelineKind<LeaseWindow, LeaseCounters> {
  return {
    format: leaseFormat,
    counters: zeroLeaseCounters,
    open: (parts) => new LeaseKind(options, parts),
    prepare: (schemaId) => options.decoder.prepare(schemaId),
  };
}

class LeaseKind implements Kind, Evicting {
  readonly evicting: Evicting = this;
  readonly #rules: LeaseRules;
  readonly #parts: LeaseParts;
  readonly #entry: LeaseWindow;
  readonly #reader: RequestReader;
  readonly #answers: LeaseAnswers;

  constructor({ rules, decoder, ...voice }: LeaseOptions, parts: LeaseParts) {
    this.#rules = rules;
    this.#parts = parts;
    this.#entry = parts.entry;
    this.#reader = new RequestReader(decoder);
    this.#answers = new LeaseAnswers(parts, new LeaseVoice({ ...voice, partition: parts.partition }));
  }

  dueAt(): Millis {
    const entry = this.#entry;
    const { nextWaitAt } = entry;
    const own = ownDueAt(entry, this.#parts.held);
    return nextWaitAt > 0 && nextWaitAt < own ? nextWaitAt : own;
  }

  take(records: GroupRecords, effects: Effects): Refusal | undefined {
    for (; records.index < records.end; records.index += 1) {
      const refusal = this.#takeRecord(records, effects);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #takeRecord(records: GroupRecords, effects: Effects): Refusal | undefined {
    // Before the record is looked at: what is due for its key takes effect, taken or not (S3).
    const isThere = effects.find(records.index);
    const refusal = this.#reader.read(records);
    if (refusal !== undefined) return refusal;
    const entry = this.#entry;
    const { type, token } = this.#reader.request;
    if (this.#reader.isRelease) {
      const isHeld = isThere && !entry.delayed;
      if (isHeld) this.#release(records, effects);
      else this.#refuseToken(records, isThere, effects);
      return undefined;
    }
    if (isThere && !entry.delayed && token === entry.token) {
      if (type === ENDED) this.#release(records, effects);
      else this.#renew(records.effectiveAt, effects);
      return undefined;
    }
    // Whatever else is said is answered with what it says.
    const tooMuch = this.#tooManyAttributes();
    if (tooMuch !== undefined) return tooMuch;
    if (type === STARTED) return this.#start(records, isThere, effects);
    if (isThere && this.#withdraw(records, effects)) return undefined;
    this.#refuseToken(records, isThere, effects);
    return undefined;
  }

  due(at: Millis, effects: Effects): void {
    if (ownDueAt(this.#entry, this.#parts.held) <= at) {
      const goesOn = this.#entry.delayed ? this.#passOn(at, effects) : this.#expire(at, effects);
      if (!goesOn) return;
    }
    if (this.#entry.nextWaitAt > 0 && this.#entry.nextWaitAt <= at) this.#dropWaited(at, effects);
  }

  #renew(effectiveAt: Millis, effects: Effects): void {
    const entry = this.#entry;
    if (effectiveAt > entry.renewedAt) entry.renewedAt = effectiveAt;
    if (entry.renewals < RENEWALS_MAX) entry.renewals += 1;
    this.#parts.counters.leaseRenewals += 1;
    effects.changed();
  }

  #release(records: GroupRecords, effects: Effects): void {
    const to = this.#answered(records, effects);
    this.#answers.released(leaseState(this.#entry.state), this.#reader.isRelease, to, effects);
    this.#parts.counters.leasesReleased += 1;
    if (this.#passOn(to.at, effects)) effects.dueSooner();
  }

  /** An end of no lease that bears the id of a start that waits takes that from the queue (L4). False: it is no such record. */
  #withdraw(records: GroupRecords, effects: Effects): boolean {
    const { type, token = NO_TOKEN, requestId } = this.#reader.request;
    if (type !== ENDED || token !== NO_TOKEN || requestId === undefined || this.#entry.nextWaitAt === 0) return false;
    const { holder, waiters } = leaseState(this.#entry.state);
    const waiter = waiters.find((each) => each.claim.requestId === requestId);
    if (waiter === undefined) return false;
    const state = { holder, waiters: waiters.filter((each) => each !== waiter) };
    const to = this.#answered(records, effects);
    this.#answers.rejected(waiter.claim, this.#answers.obstacle('WITHDRAWN', to.at, state), to, effects);
    this.#keep(state, effects);
    return true;
  }

  /** A renewal or release without the live token changes nothing (L3). */
  #refuseToken(records: GroupRecords, isThere: boolean, effects: Effects): void {
    const { token, attributes = NO_CLAIM.attributes, requestId } = this.#reader.request;
    const to = this.#answered(records, effects);
    const isHeld = isThere && !this.#entry.delayed;
    const by = isHeld ? this.#answers.obstacle('WRONG_TOKEN', to.at) : { reason: 'NOT_HELD' as const };
    this.#answers.rejected({ token, attributes, requestId }, by, to, effects);
  }

  #start(records: GroupRecords, isThere: boolean, effects: Effects): Refusal | undefined {
    const { request } = this.#reader;
    const offset = records.baseOffset + records.group.offsetDeltas[records.index]!;
    const claim: Claim = { requestId: request.requestId, attributes: request.attributes ?? NO_CLAIM.attributes };
    if (offset >= TOKEN_OFFSETS) return noToken(offset);
    const waiter = { offset, timeoutMs: this.#negotiated(), waitsUntil: 0, claim };
    if (isThere) return this.#startBehind(waiter, records, effects);
    const state = stateBytes({ holder: claim, waiters: [] });
    if (!effects.open(records.index, state.length)) return NO_ROOM;
    this.#entry.nextWaitAt = 0;
    this.#hold(waiter, records.effectiveAt, effects);
    this.#entry.state = state;
    effects.opened();
    effects.changed();
    this.#answers.granted(claim, this.#answered(records, effects), effects);
    return undefined;
  }

  /** A start for an entry there is: held, or in its lock delay. */
  #startBehind(start: Waiter, records: GroupRecords, effects: Effects): Refusal | undefined {
    const { onConflict, maxWaiters, maxTimeoutMs } = this.#rules;
    const state = leaseState(this.#entry.state);
    const to = this.#answered(records, effects);
    if (this.#repeats(start.claim, state, to, effects)) return undefined;
    if (this.#entry.delayed) {
      this.#answers.rejected(start.claim, this.#answers.obstacle('LOCK_DELAY', to.at, state), to, effects);
      return undefined;
    }
    const waitMs = Math.min(this.#reader.request.waitMs ?? maxTimeoutMs, maxTimeoutMs);
    // Who waits from when `onConflict` was another comes first (LS2).
    if (onConflict === 'replace' && state.waiters.length === 0)
      return this.#replace(start, records.effectiveAt, state, to, effects);
    if (onConflict === 'reject' || waitMs === 0)
      this.#answers.rejected(start.claim, this.#answers.obstacle('HELD', to.at, state), to, effects);
    else if (state.waiters.length >= maxWaiters)
      this.#answers.rejected(start.claim, this.#answers.obstacle('QUEUE_FULL', to.at, state), to, effects);
    else return this.#queue({ ...start, waitsUntil: to.at + waitMs }, state, to, effects);
    return undefined;
  }

  /** True if the state may become this one (I7). */
  #hasRoom(state: LeaseState, effects: Effects): boolean {
    return effects.hasRoom(stateBytes(state).length - this.#entry.stateLength);
  }

  /** A start with the request id of the one that holds or waits gets the same answer again, and changes nothing (L5). */
  #repeats({ requestId }: Claim, state: LeaseState, to: Answered, effects: Effects): boolean {
    if (requestId === undefined) return false;
    if (!this.#entry.delayed && requestId === state.holder.requestId) {
      this.#answers.grantedAgain(state, to, effects);
      return true;
    }
    const waiter = state.waiters.find(({ claim }) => claim.requestId === requestId);
    if (waiter !== undefined) this.#answers.queued(waiter, state, to, effects);
    return waiter !== undefined;
  }

  #replace(start: Waiter, effectiveAt: Millis, state: LeaseState, to: Answered, effects: Effects): Refusal | undefined {
    const replaced = { holder: start.claim, waiters: [] };
    if (!this.#hasRoom(replaced, effects)) return NO_ROOM;
    const { requestId } = state.holder;
    this.#answers.expired(state, { reason: 'REPLACED' }, { ...to, requestId }, effects);
    this.#parts.counters.leasesReplaced += 1;
    this.#hold(start, effectiveAt, effects);
    this.#keep(replaced, effects);
    effects.dueSooner();
    this.#answers.granted(start.claim, to, effects);
    return undefined;
  }

  #queue(waiter: Waiter, { holder, waiters }: LeaseState, to: Answered, effects: Effects): Refusal | undefined {
    const state = { holder, waiters: [...waiters, waiter] };
    const { length } = stateBytes(state);
    if (length > STATE_BYTES_MAX) {
      this.#answers.rejected(waiter.claim, this.#answers.obstacle('QUEUE_FULL', to.at, state), to, effects);
      return undefined;
    }
    if (!effects.hasRoom(length - this.#entry.stateLength)) return NO_ROOM;
    this.#keep(state, effects);
    effects.dueSooner();
    this.#parts.counters.leasesQueued += 1;
    this.#answers.queued(waiter, state, to, effects);
    return undefined;
  }

  /** Who holds the lease, or waits for it, by a start before the eviction and with the attribute (Q4). */
  concerns(eviction: Eviction): boolean {
    const entry = this.#entry;
    if (entry.stateLength === 0) return false;
    const { place } = eviction;
    const { holds, waits } = claimedBefore(entry.state, place, eviction);
    return waits || (holds && this.#isHeldSince(place));
  }

  /** Who waits is told first, so that the lease goes to none of them. */
  evict(eviction: Eviction, effects: Effects): void {
    const { at } = eviction;
    const { holder, waiters } = leaseState(this.#entry.state);
    const out = waiters.filter(({ offset, claim }) => offset < eviction.place && hasAttribute(claim, eviction));
    if (out.length > 0) this.#drop(out, 'EVICTED', at, effects);
    if (hasAttribute(holder, eviction) && this.#isHeldSince(eviction.place)) this.#expire(at, effects, 'EVICTED');
  }

  /** True if the start of who holds it lies below `place`. */
  #isHeldSince(place: number): boolean {
    const { delayed, token } = this.#entry;
    return !delayed && withinEpoch(token) - 1 < place;
  }

  /** The deadline has come, or an operator evicts the holder. False: there is nothing left. */
  #expire(at: Millis, effects: Effects, evicted?: 'EVICTED'): boolean {
    const { counters, held } = this.#parts;
    const entry = this.#entry;
    const state = leaseState(entry.state);
    const reason = evicted ?? deadlineReason(entry, held);
    const heldMs = held.between(entry.renewedAt, at);
    const { requestId } = state.holder;
    const to = { key: effects.key(), at, offset: undefined, requestId };
    this.#answers.expired(state, { reason, ...(heldMs > 0 && { heldMs }) }, to, effects);
    if (reason === 'TIMEOUT') counters.leasesExpiredByTimeout += 1;
    else if (reason === 'MAX_DURATION') counters.leasesExpiredByMaxDuration += 1;
    else counters.leasesEvicted += 1;
    const { lockDelayMs } = this.#rules;
    if (lockDelayMs === 0) return this.#passOn(at, effects);
    entry.delayed = true;
    entry.renewedAt = at + lockDelayMs;
    this.#keep({ holder: NO_CLAIM, waiters: state.waiters }, effects);
    return true;
  }

  /** The lease is free as of `at`: the first that waits gets it. False: none does, and the entry has ended. */
  #passOn(at: Millis, effects: Effects): boolean {
    const [next, ...waiters] = leaseState(this.#entry.state).waiters;
    if (next === undefined) {
      effects.end(at);
      return false;
    }
    const { offset, claim } = next;
    this.#hold(next, at, effects);
    this.#keep({ holder: claim, waiters }, effects);
    this.#answers.granted(claim, { key: effects.key(), at, offset, requestId: claim.requestId }, effects);
    return true;
  }

  #dropWaited(at: Millis, effects: Effects): void {
    const { waiters } = leaseState(this.#entry.state);
    const out = waiters.filter(({ waitsUntil }) => waitsUntil <= at);
    this.#drop(out, 'WAITED', at, effects);
  }

  /** These wait no more: they are told, in log order. */
  #drop(out: readonly Waiter[], reason: 'WAITED' | 'EVICTED', at: Millis, effects: Effects): void {
    const { holder, waiters } = leaseState(this.#entry.state);
    const gone = new Set(out.map(({ offset }) => offset));
    const state = { holder, waiters: waiters.filter(({ offset }) => !gone.has(offset)) };
    for (const { offset, claim } of out) {
      const to = { key: effects.key(), at, offset, requestId: claim.requestId };
      this.#answers.rejected(claim, this.#answers.obstacle(reason, at, state), to, effects);
    }
    this.#keep(state, effects);
  }

  /** Has the entry say that this start holds the lease, and on what terms, but for its state. */
  #hold({ offset, timeoutMs }: Waiter, from: Millis, effects: Effects): void {
    const entry = this.#entry;
    const { maxDurationMs = 0, bucketMs } = this.#rules;
    entry.delayed = false;
    entry.grantedAt = from;
    entry.renewedAt = from;
    entry.token = tokenOf(this.#rules.tokenEpoch, offset);
    entry.timeoutMs = timeoutMs;
    entry.setTerms(maxDurationMs, bucketMs);
    entry.renewals = 0;
    effects.reshaped();
  }

  /** Writes the state of an entry there is. */
  #keep(state: LeaseState, effects: Effects): void {
    const entry = this.#entry;
    const before = entry.stateLength;
    entry.state = stateBytes(state);
    entry.nextWaitAt = nextWaitOf(state.waiters);
    if (entry.stateLength !== before) effects.resized();
    effects.changed();
  }

  #answered({ bytes, group, index, baseOffset }: GroupRecords, { clock }: Effects): Answered {
    const start = group.starts[index]!;
    return {
      key: copyBytes(bytes, start, start + group.lengths[index]!),
      at: clock,
      offset: baseOffset + group.offsetDeltas[index]!,
      requestId: this.#reader.request.requestId,
    };
  }

  #negotiated(): number {
    const { timeoutMs, minTimeoutMs, maxTimeoutMs } = this.#rules;
    const asked = this.#reader.request.timeoutMs ?? timeoutMs;
    const negotiated = Math.min(Math.max(asked, minTimeoutMs), maxTimeoutMs);
    if (negotiated !== asked) this.#parts.counters.clampedTimeouts += 1;
    return negotiated;
  }

  /** All that is said of them is bounded by the rules (I4). */
  #tooManyAttributes(): Refusal | undefined {
    const { maxAttributes, maxAttributeBytes } = this.#rules;
    const { attributes } = this.#reader.request;
    if (attributes === undefined) return undefined;
    let length = 0;
    for (const [name, value] of attributes) length += name.length + value.length;
    if (attributes.size <= maxAttributes && length <= maxAttributeBytes) return undefined;
    const found = `${attributes.size} attributes of ${length} characters`;
    return bad(
      'invalid-attributes',
      `${found}; maxAttributes is ${maxAttributes}, maxAttributeBytes ${maxAttributeBytes}`,
    );
  }
}

function hasAttribute({ attributes }: Claim, { attribute, equals }: Eviction): boolean {
  return attributes.get(attribute) === equals;
}

function noToken(offset: number): Refusal {
  return bad(
    'no-token',
    `the offset ${offset} is too great for a token: start leases on another input topic, and raise tokenEpoch`,
  );
}
