// By how much a run is later than its due instant, so that many that are due together do not come together (D2).
//
//   shift = hash mod the jitter, or mod the time to the next instant if that is less
//   hash  = MurmurHash3 x86_32, seed 0, of: key · 0x00 · id (none: nothing) · 0x00 · due instant in decimal digits
//
// A run is never later than the next instant: runs stay in order, and none is missed for its jitter.
import { ByteWriter, type DurationMs, hashBytes, type Millis, utf8Of } from '@flatline/base';
import { NEVER } from '@flatline/schedules';
import type { Schedule } from './schedule-state.ts';

/** Scratch. */
const written = new ByteWriter(256);

/** `next`: the instant after `dueAt`; undefined: there is none. */
export function shiftOf(
  { id = '', when }: Pick<Schedule, 'id' | 'when'>,
  key: Uint8Array,
  dueAt: Millis,
  next: Millis | undefined,
): DurationMs {
  const { jitterMs } = when;
  if (jitterMs === undefined) return 0;
  written.clear();
  written.raw(key);
  written.u8(0);
  written.raw(utf8Of(id));
  written.u8(0);
  written.raw(utf8Of(String(dueAt)));
  const hash = hashBytes(written.peek(), 0, written.length, 0) >>> 0;
  return hash % Math.min(jitterMs, (next ?? Infinity) - dueAt);
}

/** When the run that is due next comes. */
export function fireAt({ dueAt, shiftMs }: Pick<Schedule, 'dueAt' | 'shiftMs'>): Millis {
  return Math.min(dueAt + shiftMs, NEVER - 1);
}
