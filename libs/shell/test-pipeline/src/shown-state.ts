// Live entries and refused records, as a test sees them.
import type { Millis } from '@flatline/base';
import type { ShownEntry } from '@flatline/kinds';
import type { DeadLetter } from '@flatline/partition';
import type { RecordHeader } from '@flatline/ports';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** A live session, lease or window, or one schedule of a key. */
export interface TestEntry {
  readonly partition: number;
  readonly key: Uint8Array;
  /** The key as text: what is no UTF-8 shows as U+FFFD. */
  readonly keyText: string;
  /**
   * When it ends, fires or runs if nothing comes, as of now, in milliseconds since the epoch; undefined of a schedule that is paused.
   */
  readonly dueAt: Millis | undefined;
  /** Its state as `flatline sessions list` shows it: of a session `startedAt`, `eventCount`, `attributes` and so on. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** A record of the input, as `replay` takes it. */
export interface LoggedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Its stamp, in milliseconds since the epoch. */
  readonly timestamp: Millis;
  /** null: of a clock record. */
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

/** A record of the input that could not be used. */
export interface DeadLetterOutput {
  /** A stable code, as `invalid-json`. */
  readonly reason: string;
  /** The value found, and the values allowed. */
  readonly detail: string;
  /** Where it lies in the input. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Its stamp there, in milliseconds since the epoch. */
  readonly timestamp: Millis;
  readonly key: Uint8Array | null;
  readonly keyText: string | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

export function entryOf(key: Uint8Array, partition: number, state: ShownEntry): TestEntry {
  return { partition, key, keyText: utf8.decode(key), dueAt: dueAt(state), state };
}

function dueAt(state: ShownEntry): Millis | undefined {
  if (state['paused'] === true) return undefined;
  const { deadlineAt, retryAt, firesAt, dueAt: due, shiftMs } = state as Readonly<Record<string, number | undefined>>;
  return deadlineAt ?? retryAt ?? firesAt ?? (due === undefined ? undefined : due + (shiftMs ?? 0));
}

export function deadLetterOf(letter: DeadLetter, topic: string, partition: number): DeadLetterOutput {
  const { reason, detail, offset, timestamp, key, value, headers } = letter;
  const keyText = key === null ? null : utf8.decode(key);
  return { reason, detail, topic, partition, offset, timestamp, key, keyText, value, headers };
}
