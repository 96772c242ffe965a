import type { LogSubscription, RecordCursor } from '@flatline/ports';

/** One record, copied out of the cursor. */
export interface ReadRecord {
  readonly offset: number;
  readonly timestamp: number;
  readonly key: string | null;
  readonly value: string | null;
}

/** Records that a subscription gave, in order, until `enough` said so. */
export interface Reading {
  readonly records: readonly ReadRecord[];
  /** The offset after everything passed. */
  readonly position: number;
}

/** Reads until `enough`, woken by the subscription alone. @throws its failure. */
export async function readUntil(
  subscription: LogSubscription,
  enough: (reading: Reading) => boolean,
  /** Called after each record, and at the end of each fetch. */
  look: (cursor: RecordCursor) => void = () => undefined,
): Promise<Reading> {
  const records: ReadRecord[] = [];
  let position = -1;
  for (;;) {
    for (let fetched = subscription.take(); fetched !== undefined; fetched = subscription.take()) {
      while (fetched.cursor.next()) {
        records.push(copyOf(fetched.cursor));
        look(fetched.cursor);
      }
      look(fetched.cursor);
      position = fetched.cursor.position;
    }
    if (enough({ records, position })) return { records, position };
    if (subscription.failure !== undefined) throw subscription.failure;
    await changeOf(subscription);
  }
}

export function changeOf(subscription: LogSubscription): Promise<void> {
  return new Promise((resolve) => {
    subscription.onChange(() => {
      subscription.onChange(undefined);
      resolve();
    });
  });
}

export async function failureOf(subscription: LogSubscription): Promise<Error> {
  while (subscription.failure === undefined) await changeOf(subscription);
  return subscription.failure;
}

function copyOf({ bytes, offset, timestamp, keyStart, keyLength, valueStart, valueLength }: RecordCursor): ReadRecord {
  const text = (start: number, length: number): string | null =>
    length < 0 ? null : Buffer.from(bytes.subarray(start, start + length)).toString('latin1');
  return { offset, timestamp, key: text(keyStart, keyLength), value: text(valueStart, valueLength) };
}
