// Reads the sender from a record's header (S5).
import type { RecordHeader } from '@flatline/ports';
import { type SessionEvent, SOURCE_BYTES_MAX, SOURCE_HEADER } from '@flatline/ports/formats';
import { isEnd } from '../acts/end-header.ts';
import { bad, type Bad } from '../refusals.ts';
import { isErasure } from './erasing/erase-header.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `event` gets the source that its headers name. What it returns is why they cannot be meant. */
export function readSource(headers: readonly RecordHeader[], event: SessionEvent): Bad | undefined {
  for (const header of headers) {
    const { name, value } = header;
    // Taken for an event it would keep what was to go.
    if (isErasure(header)) return bad('invalid-command', 'what erases a key (flatline-command: ERASE) has no value');
    if (isEnd(header)) return bad('invalid-command', 'what ends a key (flatline-command: END) has no value');
    if (name !== SOURCE_HEADER) continue;
    const source = nameIn(value);
    if (source === undefined)
      return bad('invalid-source', `the header ${SOURCE_HEADER} is no text of 1 to ${SOURCE_BYTES_MAX} bytes in UTF-8`);
    event.source ??= source;
    if (event.source !== source)
      return bad('invalid-source', `the record names the sources ${event.source} and ${source}`);
  }
  return undefined;
}

/** undefined: no name. */
function nameIn(value: Uint8Array | null): string | undefined {
  if (value === null || value.length === 0 || value.length > SOURCE_BYTES_MAX) return undefined;
  try {
    return utf8.decode(value);
  } catch {
    return undefined; // that is the answer
  }
}
