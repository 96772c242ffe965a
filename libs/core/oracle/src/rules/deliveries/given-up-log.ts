// Deliveries given up, in the order in which they were let go of: each has a record on `<pipeline>.undeliverable` by the same transaction.
//
// Owns: how far that topic is explained.
// Does not own: what was kept (DeliveryLogCheck).
import type { Millis } from '@flatline/base';
import type { Fault } from './attempts-kept.ts';
import { ATTEMPTS_MAX, GONE } from './attempts-kept.ts';
import type { LoggedBreakers } from './breakers-logged.ts';
import {
  deliveryIn,
  headerOf,
  type LoggedAttempt,
  type LoggedDelivery,
  type WrittenRecord,
} from './logged-delivery.ts';

export interface LoggedGivenUp extends WrittenRecord {
  /** `<endpoint>/<id>` */
  readonly name: string;
  readonly said: LoggedDelivery;
}

export class GivenUpLog {
  readonly #records: AsyncGenerator<WrittenRecord>;
  #next: LoggedGivenUp | undefined;

  constructor(records: AsyncGenerator<WrittenRecord>) {
    this.#records = records;
  }

  /** The next one, left in place. `onUnread`: told of records that are none, nor marks of a replay. */
  async next(onUnread: (record: WrittenRecord) => void): Promise<LoggedGivenUp | undefined> {
    while (this.#next === undefined) {
      const read = await this.#records.next();
      if (read.done === true) return undefined;
      const { record } = read.value;
      if (headerOf(record, 'replayed') !== undefined) continue;
      const said = deliveryIn(record);
      if (said === undefined) onUnread(read.value);
      else this.#next = { ...read.value, said, name: `${said.endpoint}/${said.id}` };
    }
    return this.#next;
  }

  take(): void {
    this.#next = undefined;
  }
}

export interface GivenUpPlace {
  readonly breakers: LoggedBreakers;
  /** How many deliveries of its endpoint are kept; undefined: records of the log are gone. */
  readonly keptOfEndpoint: number | undefined;
  /** When the log first said that no owner knew its endpoint, by the broker; undefined: not that is known. */
  readonly strandedSince: Millis | undefined;
}

const STRANDED_MS = 86_400_000;
const NAMED_MAX = 100_000;
/** Taken for one transaction, and known by name before it is kept. */
const TAKEN_MAX = 2_000;
const MINUTE_MS = 60_000;

/** Why it was given up, beside what it says of itself. */
export function reasonFaults({ said, record }: LoggedGivenUp, place: GivenUpPlace): Fault[] {
  const why = headerOf(record, 'reason') ?? 'no reason';
  const isRight = IS_RIGHT[why]?.({ said, at: record.timestamp, ...place }) ?? false;
  return isRight ? [] : [{ rule: 'N2', what: `is given up after ${said.attempts.length} attempts: ${why}` }];
}

type Judged = GivenUpPlace & { readonly said: LoggedDelivery; readonly at: Millis };

const IS_RIGHT: Readonly<Record<string, (judged: Judged) => boolean>> = {
  attempts: ({ said: { attempts } }) => attempts.length === ATTEMPTS_MAX,
  gone: ({ said, breakers }) => lastOf(said)?.status === GONE && isDisabled(said, breakers),
  disabled: ({ said, breakers }) => isDisabled(said, breakers),
  'no-endpoint': ({ said: { strandedAt }, at, strandedSince = at }) =>
    strandedAt !== undefined && Math.max(at - strandedAt, at - strandedSince) >= STRANDED_MS - MINUTE_MS,
  'too-many-waiting': ({ keptOfEndpoint = Infinity }) => keptOfEndpoint >= NAMED_MAX - TAKEN_MAX,
  'too-large': ({ said: { attempts } }) => attempts.length === 0,
};

function isDisabled({ endpoint }: LoggedDelivery, breakers: LoggedBreakers): boolean {
  return breakers.mayBeDisabled(endpoint);
}

function lastOf({ attempts }: LoggedDelivery): LoggedAttempt | undefined {
  return attempts.at(-1);
}
