// Writes a record that was sent under an idempotency key once, however often a sender repeats it: it asks again where it had no answer.
//
// Owns: the outcomes of the last records with a key.
// Does not own: writing. Nothing is kept across a restart, or with another instance: what a kind does about that is its intake's.
//
// Invariants
//   RPT1  At most `RECORDS_MAX` are kept, each for at most `KEPT_MS`; one whose write failed is not.
import type { Clock, DurationMs } from '@flatline/base';
import { createHash } from 'node:crypto';
import type { SentRecord } from './input-writer.ts';
import { Refused } from './refused.ts';

interface Outcome {
  readonly content: string;
  readonly written: Promise<void>;
  readonly at: DurationMs;
}

/** As long as clients go on trying. */
const KEPT_MS: DurationMs = 24 * 3_600_000;
/** Some 300 bytes each. */
const RECORDS_MAX = 100_000;

export class Repeats {
  readonly #clock: Clock;
  /** By a hash of pipeline, key and idempotency key; the oldest first. */
  readonly #outcomes = new Map<string, Outcome>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Writes it, unless it was written or is being. @throws Refused where that key came with something else; as `write` does */
  once(names: readonly string[], record: SentRecord, write: () => Promise<void>): Promise<void> {
    const name = digestOf(names.map((each) => Buffer.from(each)));
    const content = contentOf(record);
    const former = this.#outcomes.get(name);
    if (former !== undefined && this.#clock.monotonicMs() - former.at < KEPT_MS) {
      if (former.content === content) return former.written;
      return Promise.reject(new Refused(422, 'this idempotency key came with another request before: take a new one'));
    }
    this.#outcomes.delete(name);
    const written = write();
    const outcome = { content, written, at: this.#clock.monotonicMs() };
    this.#outcomes.set(name, outcome);
    if (this.#outcomes.size > RECORDS_MAX) this.#outcomes.delete(this.#outcomes.keys().next().value!);
    written.catch(() => {
      if (this.#outcomes.get(name) === outcome) this.#outcomes.delete(name);
    });
    return written;
  }
}

function contentOf({ value, headers }: SentRecord): string {
  const parts = headers.flatMap(({ name, value: said }) => [Buffer.from(name), said ?? Buffer.alloc(0)]);
  return digestOf([Buffer.from(value === null ? 'null' : 'value'), value ?? Buffer.alloc(0), ...parts]);
}

/** Each part with its length: no two lists of parts look alike. */
function digestOf(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('base64');
}
