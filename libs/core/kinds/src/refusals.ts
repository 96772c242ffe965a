// Why a record is not taken, as all kinds say it (I1, I6, I7).
import { namedMessageOf } from '@flatline/base';
import type { DeadLetterReason } from '@flatline/ports';
import type { ValueDecoder } from '@flatline/ports/formats';
import { PROCESSING_FAILED, type Refusal } from './contract.ts';

export const NO_ROOM: Refusal = { kind: 'noRoom' };
export const OWING: Refusal = { kind: 'owing' };

export type Bad = Extract<Refusal, { kind: 'bad' }>;

export function bad(reason: DeadLetterReason, detail: string): Bad {
  return { kind: 'bad', reason, detail };
}

/**
 * Decodes `bytes[start, start + length)` into `target`; what it returns is why it cannot. A decoder that fails costs the record
 * and no more: nothing has changed by then (I6).
 */
export function decodeInto<Target>(
  target: Target,
  decoder: ValueDecoder<Target>,
  bytes: Uint8Array,
  start: number,
  length: number,
): Refusal | undefined {
  try {
    const decoded = decoder.decode(bytes, start, length, target);
    return decoded.kind === 'event' ? undefined : decoded;
  } catch (error) {
    return bad(PROCESSING_FAILED, `the decoder failed: ${namedMessageOf(error)}`);
  }
}
