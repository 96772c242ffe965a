// One key's leases by the rules, written as simply as they are (L1–L7): the holder, the starts that wait, and the records written.
//
// Shares no code with what it judges.
import type { DurationMs, Millis } from '@flatline/base';
import { hasCommand } from '../../logs/acts.ts';
import type { SaidEviction } from '../../logs/evictions.ts';
import type { InputRecord } from '../../logs/history.ts';
import type { AttributesInForce } from '../attributes-in.ts';
import type { Machine, When } from '../entry-rules.ts';
import type { HeldGaps } from '../held-gaps.ts';
import { Telling } from '../telling.ts';
import { type Asked, askedBy } from './lease-request.ts';
import { isWithinLimit } from './lease-size.ts';

/** A pipeline's options, named as in docs/CONFIGURATION.md. */
export interface LeaseFoldRules extends AttributesInForce {
  readonly timeoutMs: DurationMs;
  readonly minTimeoutMs: DurationMs;
  readonly maxTimeoutMs: DurationMs;
  readonly bucketMs: DurationMs;
  readonly onConflict: string;
  readonly maxWaiters: number;
  readonly lockDelayMs: DurationMs;
  readonly maxDurationMs: DurationMs | undefined;
  readonly tokenEpoch: number;
  /** Default: any number, of any length. */
  readonly maxAttributes?: number;
  readonly maxAttributeBytes?: number;
}

/** A record of the output as JSON has it; null: a tombstone. */
export type Said = Readonly<Record<string, unknown>> | null;

interface Claim {
  readonly offset: number;
  readonly requestId: string | undefined;
  readonly timeoutMs: DurationMs;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Lease extends Claim {
  readonly token: number;
  readonly grantedAt: Millis;
  readonly lastAt: Millis;
  /** Its bounds, by the rules when it was granted: its holder was told no others. */
  readonly maxDurationMs: DurationMs | undefined;
  readonly bucketMs: DurationMs;
  readonly renewals: number;
}

export interface Waiting extends Claim {
  readonly until: Millis;
}

/** The holder, or the instant before which none may be; and the starts that wait. */
export interface LeaseState {
  readonly lease: Lease | undefined;
  readonly lockedUntil: Millis | undefined;
  readonly waiting: readonly Waiting[];
  /** When the first of them has waited long enough; 0: none waits. */
  readonly nextWaitAt: Millis;
}

interface Competing {
  readonly at: Millis;
  readonly effectiveAt: Millis;
  readonly offset: number;
}

/** Number of tokens from one epoch to the next (L3). */
export const EPOCH_TOKENS = 1_099_511_627_776;

export class NaiveLease extends Telling<Said> implements Machine<LeaseState, Said> {
  readonly #rules: LeaseFoldRules;
  readonly #gaps: HeldGaps;
  readonly #place: Readonly<Record<string, unknown>>;
  #lease: Lease | undefined;
  #lockedUntil: Millis | undefined;
  #waiting: readonly Waiting[] = [];

  /** `place`: fields common to all records of this key: id and partition. */
  constructor(rules: LeaseFoldRules, gaps: HeldGaps, place: Readonly<Record<string, unknown>>) {
    super();
    this.#rules = rules;
    this.#gaps = gaps;
    this.#place = place;
  }

  get state(): LeaseState | undefined {
    if (this.#lease === undefined && this.#lockedUntil === undefined) return undefined;
    const waits = { waiting: this.#waiting, nextWaitAt: this.#waiting.length === 0 ? 0 : this.#tiredAt };
    return { lease: this.#lease, lockedUntil: this.#lockedUntil, ...waits };
  }
  set state(state: LeaseState | undefined) {
    this.#lease = state?.lease;
    this.#lockedUntil = state?.lockedUntil;
    this.#waiting = state?.waiting ?? [];
  }

  dueAt(): Millis {
    return Math.min(this.#freeAt, this.#tiredAt);
  }

  due(): void {
    const at = this.dueAt();
    if (this.#freeAt === at && this.#lease) this.#expire(this.#lease, at);
    else if (this.#freeAt === at) this.#next(at);
    else this.#tire(at);
  }

  get #freeAt(): Millis {
    return this.#lease ? this.#deadline(this.#lease) : (this.#lockedUntil ?? Infinity);
  }

  /** When the first waiting start has waited long enough. */
  get #tiredAt(): Millis {
    return Math.min(Infinity, ...this.#waiting.map(({ until }) => until));
  }

  take(record: InputRecord, when: When): boolean {
    const asked = askedBy(record, this.#rules);
    if (asked === 'bad') return false;
    return hasCommand(record.headers, 'RELEASE') ? this.#obey(record, asked, when) : this.#take(asked, when);
  }

  /** Q4: an operator releases it, whatever the token. */
  #obey({ value }: InputRecord, { token, requestId, attributes }: Asked, { clock: at, offset }: When): boolean {
    if (value !== null) return false;
    if (this.#lease === undefined) {
      const inTheWay = { type: 'REJECTED', reason: 'NOT_HELD', token, requestId, attributes };
      this.#say({ ...inTheWay, offset, at });
      return true;
    }
    this.#end('RELEASED', this.#lease, { byOperator: true, requestId, offset, at });
    this.#next(at);
    return true;
  }

  isConcerned(eviction: SaidEviction): boolean {
    return [this.#lease, ...this.#waiting].some((claim) => isOf(claim, eviction));
  }

  /** Waiting starts go first: the lease is for the others. */
  evict(eviction: SaidEviction): void {
    const { at } = eviction;
    const out = this.#waiting.filter((each) => isOf(each, eviction));
    for (const each of out) this.#refuse(each, 'EVICTED', { at, offset: each.offset });
    this.#waiting = this.#waiting.filter((each) => !out.includes(each));
    if (this.#lease !== undefined && isOf(this.#lease, eviction)) this.#expire(this.#lease, at, 'EVICTED');
  }

  #take(asked: Asked, when: When): boolean {
    const lease = this.#lease;
    if (lease !== undefined && asked.token === lease.token) {
      if (asked.does !== 'end') {
        this.#lease = { ...lease, lastAt: Math.max(lease.lastAt, when.effectiveAt), renewals: lease.renewals + 1 };
        return true;
      }
      this.#end('RELEASED', lease, { offset: when.offset, requestId: asked.requestId, at: when.clock });
      this.#next(when.clock);
    } else if (this.#isLong(asked.attributes)) return false;
    else if (asked.does === 'start') return this.#start(asked, when);
    else if (!this.#leaves(asked, when)) {
      const { token, requestId, attributes } = asked;
      const why = lease ? { reason: 'WRONG_TOKEN', ...this.#inTheWay() } : { reason: 'NOT_HELD' };
      this.#say({ type: 'REJECTED', token, requestId, attributes, ...why, offset: when.offset, at: when.clock });
    }
    return true;
  }

  /** True if it names a waiting start by its request id, and no token that a lease could have: that start stops waiting. */
  #leaves({ does, token, requestId }: Asked, { clock: at, offset }: When): boolean {
    const isOfNoLease = token === undefined || token === 0;
    if (does !== 'end' || !isOfNoLease || requestId === undefined) return false;
    const place = this.#waiting.findIndex((each) => each.requestId === requestId);
    if (place < 0) return false;
    this.#refuse(this.#waiting[place]!, 'WITHDRAWN', { at, offset });
    this.#waiting = this.#waiting.toSpliced(place, 1);
    return true;
  }

  /** False: no token can be made of its offset. */
  #start(asked: Asked, { clock: at, effectiveAt, offset }: When): boolean {
    const { timeoutMs, minTimeoutMs, maxTimeoutMs } = this.#rules;
    const { requestId, attributes } = asked;
    if (offset + 1 >= EPOCH_TOKENS) return false;
    const wanted = asked.timeoutMs ?? timeoutMs;
    const negotiated = wanted < minTimeoutMs ? minTimeoutMs : wanted > maxTimeoutMs ? maxTimeoutMs : wanted;
    const start: Claim = { offset, requestId, timeoutMs: negotiated, attributes };
    const lease = this.#lease;
    const again = requestId === undefined ? undefined : this.#waiting.find((each) => each.requestId === requestId);
    if (requestId !== undefined && lease?.requestId === requestId) this.#sayGranted(lease, { at, offset });
    else if (again !== undefined) this.#sayQueued(again, { at, offset });
    else if (lease !== undefined) this.#compete(start, lease, asked.waitMs, { at, effectiveAt, offset });
    else if (this.#lockedUntil === undefined) this.#grant(start, effectiveAt, { at, offset });
    else this.#refuse(start, 'LOCK_DELAY', { at, offset });
    return true;
  }

  #isLong(attributes: Readonly<Record<string, string>>): boolean {
    const { maxAttributes = Infinity, maxAttributeBytes = Infinity } = this.#rules;
    const entries = Object.entries(attributes);
    const length = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    return entries.length > maxAttributes || length > maxAttributeBytes;
  }

  #compete(start: Claim, lease: Lease, waitMs: number | undefined, { at, effectiveAt, offset }: Competing): void {
    const { onConflict, maxWaiters, maxTimeoutMs } = this.#rules;
    // Some may be waiting since `onConflict` was another.
    if (onConflict === 'replace' && this.#waiting.length === 0) {
      this.#end('EXPIRED', lease, { reason: 'REPLACED', requestId: lease.requestId, offset, at });
      this.#grant(start, effectiveAt, { at, offset });
    } else if (onConflict === 'reject' || waitMs === 0) this.#refuse(start, 'HELD', { at, offset });
    else {
      const waiting = { ...start, until: at + (waitMs === undefined || waitMs > maxTimeoutMs ? maxTimeoutMs : waitMs) };
      const queue = [...this.#waiting, waiting];
      if (queue.length > maxWaiters || !isWithinLimit(lease, queue)) this.#refuse(start, 'QUEUE_FULL', { at, offset });
      else {
        this.#waiting = queue;
        this.#sayQueued(waiting, { at, offset });
      }
    }
  }

  #refuse({ requestId, attributes }: Claim, reason: string, how: Readonly<Record<string, unknown>>): void {
    this.#say({ type: 'REJECTED', requestId, attributes, reason, ...this.#inTheWay(), ...how });
  }

  #deadline({ lastAt, grantedAt, timeoutMs, maxDurationMs, bucketMs }: Lease): Millis {
    const silence = this.#gaps.end(lastAt, timeoutMs);
    const most = maxDurationMs === undefined ? Infinity : this.#gaps.end(grantedAt, maxDurationMs);
    const instant = Math.min(silence, most);
    if (bucketMs === 0) return instant;
    return instant - (instant % bucketMs) + bucketMs;
  }

  #expire(lease: Lease, at: Millis, evicted?: string): void {
    const { lockDelayMs } = this.#rules;
    const { lastAt, grantedAt, timeoutMs, maxDurationMs, requestId } = lease;
    const isLong =
      maxDurationMs !== undefined && this.#gaps.end(grantedAt, maxDurationMs) <= this.#gaps.end(lastAt, timeoutMs);
    const heldMs = this.#gaps.within(lastAt, at) || undefined;
    const reason = evicted ?? (isLong ? 'MAX_DURATION' : 'TIMEOUT');
    this.#end('EXPIRED', lease, { reason, heldMs, requestId, at });
    if (lockDelayMs > 0) this.#lockedUntil = at + lockDelayMs;
    else this.#next(at);
  }

  #end(type: string, lease: Lease, how: Readonly<Record<string, unknown>>): void {
    this.#say({ type, ...this.#wordsOf(lease), ...how });
    this.tell(null);
    this.#lease = undefined;
  }

  /** Grants the free lease to the first start that waits. */
  #next(at: Millis): void {
    this.#lockedUntil = undefined;
    const [next, ...waiting] = this.#waiting;
    this.#waiting = waiting;
    if (next !== undefined) this.#grant(next, at, { at, offset: next.offset });
  }

  #tire(at: Millis): void {
    const isTired = ({ until }: Waiting): boolean => until === at;
    for (const { requestId, attributes, offset } of this.#waiting.filter(isTired))
      this.#say({ type: 'REJECTED', reason: 'WAITED', requestId, attributes, ...this.#inTheWay(), offset, at });
    this.#waiting = this.#waiting.filter((each) => !isTired(each));
  }

  #grant(start: Claim, grantedAt: Millis, how: Readonly<Record<string, unknown>>): void {
    const { tokenEpoch, maxDurationMs, bucketMs } = this.#rules;
    const token = tokenEpoch * EPOCH_TOKENS + start.offset + 1;
    this.began();
    const { offset, requestId, timeoutMs, attributes } = start;
    const terms = { timeoutMs, maxDurationMs, bucketMs };
    this.#lease = { offset, requestId, attributes, token, grantedAt, lastAt: grantedAt, renewals: 0, ...terms };
    this.#sayGranted(this.#lease, how);
  }

  #sayGranted(lease: Lease, how: Readonly<Record<string, unknown>>): void {
    const { maxDurationMs } = lease;
    const endsAt = maxDurationMs === undefined ? undefined : this.#gaps.end(lease.grantedAt, maxDurationMs);
    this.#say({ type: 'GRANTED', requestId: lease.requestId, endsAt, ...this.#wordsOf(lease), ...how });
  }

  #sayQueued({ requestId, timeoutMs, attributes }: Waiting, how: Readonly<Record<string, unknown>>): void {
    this.#say({ type: 'QUEUED', requestId, timeoutMs, attributes, ...this.#inTheWay(), ...how });
  }

  #inTheWay(): Readonly<Record<string, unknown>> {
    if (this.#lease === undefined) return { retryAt: this.#lockedUntil };
    return { holder: this.#lease.attributes, deadlineAt: this.#deadline(this.#lease) };
  }

  #wordsOf(lease: Lease): Readonly<Record<string, unknown>> {
    const { token, timeoutMs, grantedAt, renewals, attributes } = lease;
    return { token, timeoutMs, grantedAt, deadlineAt: this.#deadline(lease), renewals, attributes };
  }

  #say(what: Readonly<Record<string, unknown>>): void {
    this.tell(
      Object.fromEntries(Object.entries({ ...this.#place, ...what }).filter(([, value]) => value !== undefined)),
    );
  }
}

/** Q4: its start came before the eviction's record, and had the attribute. */
function isOf(claim: Claim | undefined, { attribute, equals, offset }: SaidEviction): boolean {
  return (
    claim !== undefined && claim.offset < offset && new Map(Object.entries(claim.attributes)).get(attribute) === equals
  );
}
