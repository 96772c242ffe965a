// Counts closes as a read_committed reader of the output sees them. It shares the processors with what it measures, so it
// looks at keys, and into one summary in many.
import type { Millis } from '@flatline/base';
import type { KafkaOptions } from '@flatline/kafka';
import type { RecordCursor } from '@flatline/ports';
import { systemClock } from '@flatline/system';
import { OutputReader, valueText } from '../output-reader.ts';
import { Tally } from '../tally.ts';

/** Keys contain a number, so that each close can be ticked off without a table of texts. They are as long as a UUID. */
const PREFIX = Buffer.from('storm-------------------', 'latin1');
const DIGITS = 12;
const ZERO = 0x30;
/** One summary in this many is read for its deadline: the thousands of heartbeats in a batch have one stamp. */
const READ_EVERY = 256;

export class CloseCount {
  readonly #reader: OutputReader;
  readonly #tally: Tally;
  #summaries = 0;
  closedAlive = 0;
  lastSeenAt: Millis = 0;
  firstDeadlineAt: Millis = Infinity;
  lastDeadlineAt: Millis = -Infinity;

  /** @param from offsets by partition at which it begins; default: 0 */
  constructor(kafka: KafkaOptions, topic: string, partitions: number, sessions: number, from: readonly number[] = []) {
    this.#tally = new Tally(sessions);
    this.#reader = new OutputReader(kafka, { topic, partitions, from }, (record) => {
      // A tombstone has no value.
      if (record.valueLength > 0) this.#count(record);
    });
  }

  get closes(): number {
    return this.#tally.count;
  }

  get closedTwice(): number {
    return this.#tally.twice;
  }

  get failure(): Error | undefined {
    return this.#reader.failure;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #count(record: RecordCursor): void {
    const session = numberInKey(record.bytes, record.keyStart, record.keyLength);
    if (session === undefined) {
      this.closedAlive += 1;
      return;
    }
    this.#tally.see(session);
    this.lastSeenAt = systemClock.wallMs();
    if (this.#summaries++ % READ_EVERY === 0) this.#readDeadline(record);
  }

  #readDeadline(record: RecordCursor): void {
    const { deadlineAt } = JSON.parse(valueText(record)) as { deadlineAt: Millis };
    this.firstDeadlineAt = Math.min(this.firstDeadlineAt, deadlineAt);
    this.lastDeadlineAt = Math.max(this.lastDeadlineAt, deadlineAt);
  }
}

/** The key of session `number`, 36 bytes. */
export function stormKey(number: number): Buffer {
  return Buffer.concat([PREFIX, Buffer.from(String(number).padStart(DIGITS, '0'), 'latin1')]);
}

/** The number in a key; undefined for other keys. */
export function numberInKey(bytes: Uint8Array, start: number, length: number): number | undefined {
  if (length !== PREFIX.length + DIGITS) return undefined;
  for (let i = 0; i < PREFIX.length; i += 1) if (bytes[start + i] !== PREFIX[i]) return undefined;
  let number = 0;
  for (let i = start + PREFIX.length; i < start + length; i += 1) number = number * 10 + bytes[i]! - ZERO;
  return number;
}
