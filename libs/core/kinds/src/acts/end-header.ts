// Tells a record by which an operator ends a key's sessions (Q4).
import type { RecordHeader } from '@flatline/ports';
import { END } from '@flatline/ports/formats';
import { commandBytes, commands, isCommand } from './command.ts';

const BYTES = commandBytes(END);

/** True if one of its headers is that command. */
export function asksEnd(headers: readonly RecordHeader[]): boolean {
  return commands(headers, BYTES);
}

export function isEnd(header: RecordHeader): boolean {
  return isCommand(header, BYTES);
}
