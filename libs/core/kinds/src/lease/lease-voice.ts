// Events and tombstones of leases; events are encoded when they are decided (O1, L1).
//
// Owns: nothing.
// Does not own: when something is said (LeaseKind), what (LeaseAnswers).
import { type Millis, namedMessageOf, utf8Of } from '@flatline/base';
import { INCARNATION_HEADER, type RecordHeader } from '@flatline/ports';
import {
  BY_OPERATOR_HEADER,
  type LeaseEvent,
  type LeaseEventEncoder,
  type LeaseReason,
  REQUEST_ID_HEADER,
} from '@flatline/ports/formats';
import type { Effects } from '../contract.ts';
import type { Claim } from './lease-state.ts';
import { withinEpoch } from './lease-token.ts';

/** The record that is answered. */
export interface Answered {
  readonly key: Uint8Array;
  /** As of when. */
  readonly at: Millis;
  readonly offset: number | undefined;
  readonly requestId: string | undefined;
}

/** A lease in words. */
export interface SpokenLease {
  readonly token: number;
  readonly timeoutMs: number;
  readonly grantedAt: Millis;
  readonly deadlineAt: Millis;
  readonly renewals: number;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Obstacle to a request. */
export interface Obstacle {
  readonly reason: LeaseReason;
  readonly holder?: ReadonlyMap<string, string>;
  readonly deadlineAt?: Millis;
  readonly retryAt?: Millis;
}

export interface LeaseVoiceParts {
  readonly encoder: LeaseEventEncoder;
  readonly tombstones: boolean;
  readonly outputTopic: string;
  readonly partition: number;
}

const NOTHING_SAID = {
  token: undefined,
  reason: undefined,
  holder: undefined,
  retryAt: undefined,
  timeoutMs: undefined,
  grantedAt: undefined,
  deadlineAt: undefined,
  renewals: undefined,
  endsAt: undefined,
  heldMs: undefined,
};

export class LeaseVoice {
  readonly #parts: LeaseVoiceParts;

  constructor(parts: LeaseVoiceParts) {
    this.#parts = parts;
  }

  granted(lease: SpokenLease & { endsAt: Millis | undefined }, to: Answered, effects: Effects): void {
    this.#say({ ...NOTHING_SAID, ...lease, ...to, type: 'GRANTED' }, effects);
  }

  released(lease: SpokenLease, byOperator: boolean, to: Answered, effects: Effects): void {
    const by = byOperator ? { byOperator } : undefined;
    this.#say({ ...NOTHING_SAID, ...lease, ...by, ...to, type: 'RELEASED' }, effects);
    this.#bury(lease.token, effects);
  }

  expired(lease: SpokenLease, why: { reason: LeaseReason; heldMs?: number }, to: Answered, effects: Effects): void {
    this.#say({ ...NOTHING_SAID, ...lease, ...why, ...to, type: 'EXPIRED' }, effects);
    this.#bury(lease.token, effects);
  }

  queued(waiting: Claim & { timeoutMs: number }, before: Obstacle, to: Answered, effects: Effects): void {
    const { timeoutMs, attributes } = waiting;
    this.#say({ ...NOTHING_SAID, ...before, ...to, type: 'QUEUED', reason: undefined, timeoutMs, attributes }, effects);
  }

  rejected(refused: Claim & { token?: number | undefined }, by: Obstacle, to: Answered, effects: Effects): void {
    const { token, attributes } = refused;
    this.#say({ ...NOTHING_SAID, ...by, ...to, type: 'REJECTED', token, attributes }, effects);
  }

  #say(said: Omit<LeaseEvent, 'partition'>, effects: Effects): void {
    const event = { ...said, partition: this.#parts.partition };
    const headers = event.type === 'REJECTED' || event.type === 'QUEUED' ? [] : [this.#incarnation(event.token!)];
    if (event.requestId !== undefined) headers.push({ name: REQUEST_ID_HEADER, value: utf8Of(event.requestId) });
    if (event.byOperator === true) headers.push({ name: BY_OPERATOR_HEADER, value: utf8Of('true') });
    effects.emit({ key: event.key, value: this.#encoded(event), headers });
  }

  /** Nothing more will come of this lease. */
  #bury(token: number, effects: Effects): void {
    if (this.#parts.tombstones) effects.emit({ key: effects.key(), value: null, headers: [this.#incarnation(token)] });
  }

  #incarnation(token: number): RecordHeader {
    return { name: INCARNATION_HEADER, value: utf8Of(`${this.#parts.partition}-${withinEpoch(token)}`) };
  }

  #encoded(event: LeaseEvent): Uint8Array {
    const { encoder, outputTopic } = this.#parts;
    try {
      return encoder.encode(event);
    } catch (error) {
      const { type, token, offset, partition } = event;
      const what = `${type} of a lease (token ${token ?? 'none'}, offset ${offset ?? 'none'}) for ${outputTopic}/${partition}`;
      throw new Error(`${what} cannot be encoded: ${namedMessageOf(error)}`, { cause: error });
    }
  }
}
