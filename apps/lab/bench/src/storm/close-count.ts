// Counts closes as a read_committed reader of the output sees them. It shares the processors with what it measures, so it
// looks at keys, and into one summary in many.
import type { Millis } from '@flatline/base';
import { KafkaLogReader, type KafkaOptions } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import type { LogSubscription, RecordCursor } from '@flatline/ports';

/** Keys carry a number, so that each close can be ticked off without a table of texts. They are as long as a UUID. */
const PREFIX = Buffer.from('storm-------------------', 'latin1');
const DIGITS = 12;
const ZERO = 0x30;
/** One in so many summaries is read for its deadline: the thousands of heartbeats in a batch have one stamp. */
const READ_EVERY = 256;

export class CloseCount {
  readonly #reader: KafkaLogReader;
  readonly #times: Uint8Array;
  #summaries = 0;
  closes = 0;
  closedTwice = 0;
  closedAlive = 0;
  lastSeenAt: Millis = 0;
  firstDeadlineAt: Millis = Infinity;
  lastDeadlineAt: Millis = -Infinity;
  failure: Error | undefined;

  /** @param from offsets by partition at which it begins; default: 0 */
  constructor(kafka: KafkaOptions, topic: string, partitions: number, sessions: number, from: readonly number[] = []) {
    this.#times = new Uint8Array(sessions);
    this.#reader = new KafkaLogReader({ ...kafka, reusesAnswers: true });
    for (let partition = 0; partition < partitions; partition += 1) {
      const subscription = this.#reader.subscribe({ topic, partition }, from[partition] ?? 0);
      subscription.onChange(() => {
        this.#take(subscription);
      });
    }
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #take(subscription: LogSubscription): void {
    this.failure ??= subscription.failure;
    for (let run = subscription.take(); run !== undefined; run = subscription.take()) {
      const { cursor } = run;
      // A tombstone has no value.
      while (cursor.next()) if (cursor.valueLength > 0) this.#count(cursor);
    }
  }

  #count(cursor: RecordCursor): void {
    const session = numberInKey(cursor.bytes, cursor.keyStart, cursor.keyLength);
    if (session === undefined) {
      this.closedAlive += 1;
      return;
    }
    const times = this.#times[session]! + 1;
    this.#times[session] = times;
    if (times > 1) this.closedTwice += 1;
    else this.closes += 1;
    this.lastSeenAt = systemClock.wallMs();
    if (this.#summaries++ % READ_EVERY === 0) this.#readDeadline(cursor);
  }

  #readDeadline({ bytes, valueStart, valueLength }: RecordCursor): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + valueStart, valueLength).toString('utf8');
    const { deadlineAt } = JSON.parse(text) as { deadlineAt: Millis };
    this.firstDeadlineAt = Math.min(this.firstDeadlineAt, deadlineAt);
    this.lastDeadlineAt = Math.max(this.lastDeadlineAt, deadlineAt);
  }
}

/** The key of session `number`, 36 bytes. */
export function stormKey(number: number): Buffer {
  return Buffer.concat([PREFIX, Buffer.from(String(number).padStart(DIGITS, '0'), 'latin1')]);
}

/** The number in a key, undefined where it is another kind of key. */
export function numberInKey(bytes: Uint8Array, start: number, length: number): number | undefined {
  if (length !== PREFIX.length + DIGITS) return undefined;
  for (let i = 0; i < PREFIX.length; i += 1) if (bytes[start + i] !== PREFIX[i]) return undefined;
  let number = 0;
  for (let i = start + PREFIX.length; i < start + length; i += 1) number = number * 10 + bytes[i]! - ZERO;
  return number;
}
