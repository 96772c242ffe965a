// Tells a record that asks for an erasure (E1).
import type { RecordHeader } from '@flatline/ports';
import { COMMAND_HEADER, ERASE } from '@flatline/ports/formats';

/** True if one of its headers is that command. */
export function asksErasure(headers: readonly RecordHeader[]): boolean {
  return headers.some(isErasure);
}

export function isErasure({ name, value }: RecordHeader): boolean {
  return name === COMMAND_HEADER && value?.length === BYTES.length && BYTES.every((byte, i) => value[i] === byte);
}

const BYTES = new TextEncoder().encode(ERASE);
