import { assert } from '@flatline/base';
import { type AskingReason, type DeadLetterReason, isDeadLetterReason, type ValueReason } from '@flatline/ports';
import type { DecodeOutcome } from '@flatline/ports/formats';
import { EXCERPT_LENGTH_MAX } from './limits.ts';

/**
 * Why a value cannot be used (I1). Stable: it stands in dead-letter headers and labels metrics.
 * `invalid-<field>`: the field is there and is of another type or beyond its limit; of an output it may be one of its own.
 */
export type BadInputReason =
  | ValueReason
  // Refusals before a record is sent, by the reason that its dead letter would have.
  | AskingReason
  | 'key-too-long'
  | `invalid-${string}`;

/** Thrown inside this library for bytes or fields that break the contract, and turned into an outcome at its edge. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
  readonly reason: BadInputReason;
  constructor(reason: BadInputReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** The outcome `bad` of the decoder ports. */
export interface BadOutcome {
  readonly kind: 'bad';
  readonly reason: BadInputReason;
  readonly detail: string;
}

/** The outcome of a caught error. Anything but BadInput is a defect of ours and goes on up. */
export function badOutcome(error: unknown): BadOutcome {
  if (error instanceof BadInput) return { kind: 'bad', reason: error.reason, detail: error.message };
  throw error;
}

/** The outcome of an input's decoder: what it says of a field is said of one that inputs have. */
export function asRefused({ reason, detail }: BadOutcome): DecodeOutcome {
  const code: DeadLetterReason = isInvalid(reason) ? known(reason) : reason;
  return { kind: 'bad', reason: code, detail };
}

function isInvalid(reason: BadInputReason): reason is `invalid-${string}` {
  return reason.startsWith('invalid-');
}

function known(reason: string): DeadLetterReason {
  assert(isDeadLetterReason(reason), `no dead letter has the reason ${reason}`);
  return reason;
}

/** `occurredAt` → `invalid-occurred-at`. */
export function invalidReason(name: string): BadInputReason {
  return `invalid-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function invalidField(name: string, value: unknown, wanted: string): BadInput {
  return new BadInput(invalidReason(name), `${name} is ${excerpt(value)}, wanted ${wanted}`);
}

/** A value as a person may read it, cut to a bound. Never walks into objects: a hostile one is deep (I3). */
export function excerpt(value: unknown): string {
  if (typeof value === 'string') {
    const cut = value.length > EXCERPT_LENGTH_MAX;
    return cut
      ? `${JSON.stringify(value.slice(0, EXCERPT_LENGTH_MAX))}… (${value.length} characters)`
      : JSON.stringify(value);
  }
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'an array' : 'an object';
}
