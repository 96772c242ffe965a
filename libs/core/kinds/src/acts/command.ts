// Tells records by which an operator acts on a key (Q4, E1).
import type { RecordHeader } from '@flatline/ports';
import { COMMAND_HEADER } from '@flatline/ports/formats';

/** Bytes of a command, to be compared with headers' values. */
export type CommandBytes = Uint8Array;

export function commandBytes(command: string): CommandBytes {
  return new TextEncoder().encode(command);
}

/** True if one of the headers is that command. */
export function commands(headers: readonly RecordHeader[], command: CommandBytes): boolean {
  return headers.some((header) => isCommand(header, command));
}

export function isCommand({ name, value }: RecordHeader, command: CommandBytes): boolean {
  return name === COMMAND_HEADER && value?.length === command.length && command.every((byte, i) => value[i] === byte);
}
