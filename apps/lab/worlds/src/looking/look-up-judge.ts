// Judges answers for keys by the log, with a reading of its own (Q1, Q2).
//
// Each answer says as of which clock and position it is. What the records below that say is computed here, a count and an instant
// per key; nothing of the product is used, nor of the oracle.
//
// Owns: all that was asked and answered.
// Does not own: asking.
import type { Millis } from '@flatline/base';
import type { LogRecord } from '@flatline/cluster';
import type { EntryAnswer } from '@flatline/processor/directory';

export interface JudgedAnswer {
  readonly key: string;
  /** Where the key lies, by the partition count of the input that the process knows. */
  readonly partition: number;
  readonly answer: EntryAnswer;
  /** Instant from which on the process knows another input than there is: no record of it may be counted; undefined: it knows this one. */
  readonly knownUntil: Millis | undefined;
  /** End of the input when it was asked, where the answer has to be as new as that; else 0. */
  readonly acknowledged: number;
}

/** A process's word about a key that it owns. */
export interface OwnersWord {
  readonly by: string;
  readonly key: string;
  readonly partition: number;
  readonly count: number;
  readonly asOf: { readonly clock: Millis; readonly position: number };
  /** Input position below which all was committed of which this owner can know: by itself, or restored. */
  readonly committed: number;
}

/** Q2: it was committed by then. A commit that was not known to be in the log may never have been. */
export function judgeOwnersWords(
  words: readonly OwnersWord[],
  recordsOf: (partition: number) => readonly LogRecord[],
  timeoutMs: number,
): readonly string[] {
  const readings = readingsOf(recordsOf, timeoutMs);
  return words.flatMap(({ by, key, partition, count, asOf: { clock, position }, committed }) => {
    const then = readings(partition).openBy(key, { clock, position: Math.min(position, committed) });
    if (then === count) return [];
    return [
      `[Q2] ${key} by ${by} as of ${position}: only ${committed} was committed, by which it has ${then} events, not ${count}`,
    ];
  });
}

/** Violations, in words, a few of them. `recordsOf`: what the partition has, in offset order. */
export function judgeAnswers(
  answers: readonly JudgedAnswer[],
  recordsOf: (partition: number) => readonly LogRecord[],
  timeoutMs: number,
): readonly string[] {
  const readings = readingsOf(recordsOf, timeoutMs);
  return answers.flatMap((judged) => faultsOf(judged, readings(judged.partition)));
}

function readingsOf(
  recordsOf: (partition: number) => readonly LogRecord[],
  timeoutMs: number,
): (partition: number) => Reading {
  const readings = new Map<number, Reading>();
  return (partition) => {
    const reading = readings.get(partition) ?? new Reading(recordsOf(partition), timeoutMs);
    readings.set(partition, reading);
    return reading;
  };
}

function faultsOf({ key, partition, answer, acknowledged, knownUntil }: JudgedAnswer, reading: Reading): string[] {
  const { state, asOf, from } = answer;
  const about = `${key} by ${answer.owner ?? 'no owner'} (${from ?? ''}): ${JSON.stringify(answer)}`;
  if (answer.partition !== partition) return [`[Q1] ${about}: the key lies in ${partition}`];
  if (state !== 'live' && state !== 'none')
    return asOf === undefined && answer.retryAfterMs !== undefined ? [] : [`[Q1] ${about}: says more than it knows`];
  if (asOf === undefined || from === undefined) return [`[Q2] ${about}: does not say as of when, or by whom`];
  if (knownUntil !== undefined && asOf.clock > knownUntil)
    return [`[Q1] ${about}: as of an input that was made again at ${knownUntil} with other partitions`];
  const count = state === 'none' ? 0 : Number((answer as { readonly eventCount?: number }).eventCount);
  const expected = reading.openBy(key, asOf);
  const faults = count === expected ? [] : [`[Q1] ${about}: by the records below it has ${expected} events`];
  if (asOf.position < acknowledged) faults.push(`[Q2] ${about}: ${acknowledged} was acknowledged before it was asked`);
  if (acknowledged > 0 && from === 'standby') faults.push(`[Q2] ${about}: a standby does not know how old it is`);
  return faults;
}

/** One partition, indexed by key. */
class Reading {
  readonly #timeoutMs: number;
  /** Records of each key, and each record's count of events with it; where a clock ended it before, from one again. */
  readonly #byKey = new Map<string, { readonly offset: number; readonly at: Millis; readonly count: number }[]>();

  constructor(records: readonly LogRecord[], timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    let clock = 0;
    for (const { key, value, offset, timestamp } of records) {
      clock = Math.max(clock, timestamp);
      if (key === null) continue;
      const name = Buffer.from(key).toString();
      const all = this.#byKey.get(name) ?? [];
      this.#byKey.set(name, all);
      const last = all.at(-1);
      const isOpen = last !== undefined && last.count > 0 && clock < last.at + timeoutMs;
      all.push({ offset, at: clock, count: value === null ? 0 : (isOpen ? last.count : 0) + 1 });
    }
  }

  /** How many events its open session has by the records below `position`, as of `clock`; 0: none is open. */
  openBy(key: string, { clock, position }: { readonly clock: Millis; readonly position: number }): number {
    const last = this.#byKey.get(key)?.findLast(({ offset }) => offset < position);
    return last === undefined || clock >= last.at + this.#timeoutMs ? 0 : last.count;
  }
}
