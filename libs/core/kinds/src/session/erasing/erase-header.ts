// Tells a record that asks for an erasure (E1).
import type { RecordHeader } from '@flatline/ports';
import { ERASE } from '@flatline/ports/formats';
import { commandBytes, commands, isCommand } from '../../acts/command.ts';

const BYTES = commandBytes(ERASE);

/** True if one of its headers is that command. */
export function asksErasure(headers: readonly RecordHeader[]): boolean {
  return commands(headers, BYTES);
}

export function isErasure(header: RecordHeader): boolean {
  return isCommand(header, BYTES);
}
