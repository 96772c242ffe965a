// Requests about the leases of one pipeline, as records of its input.
//
// Owns: the first reason for which leases are kept no more.
// Does not own: the producer, whoever asks.
import { messageOf, type Millis, utf8Of } from '@flatline/base';
import { type KeyedRecord, RecordTooLarge } from '@flatline/kafka';
import { encodeRequest } from '@flatline/records/leases';
import type { LeaseAsk } from './lease-holder.ts';

const NOTHING = new Uint8Array(0);

export interface LeaseRequest {
  /** The id of the lease. */
  readonly id: string;
  /** Null: an end; undefined: a renewal. */
  readonly value: LeaseAsk | null | undefined;
  readonly headers: ReadonlyMap<string, string>;
}

export interface LeaseRequestsParts {
  /** As AcknowledgedWriter.write. */
  readonly write: (record: KeyedRecord) => Promise<Millis | undefined>;
  /** Told each time that something failed; the reason is that of the first. */
  readonly onFailed: (reason: Error) => void;
}

export class LeaseRequests {
  readonly #parts: LeaseRequestsParts;
  #failure: Error | undefined;

  constructor(parts: LeaseRequestsParts) {
    this.#parts = parts;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Where the producer has ended, or a partition takes nothing, leases are not kept. A record refused for its size is its own lease's. */
  send({ id, value, headers }: LeaseRequest, onTooLarge: (error: RecordTooLarge) => void): Promise<Millis | undefined> {
    const key = utf8Of(id);
    const content = value === undefined ? NOTHING : value && encodeRequest(value);
    const sent = this.#parts.write({
      key,
      value: content,
      headers: [...headers].map(([name, of]) => ({ name, value: utf8Of(of) })),
    });
    return this.#orFail(sent, onTooLarge);
  }

  fail(error: unknown): void {
    this.#failure ??= new Error(`leases cannot be kept: ${messageOf(error)}`, { cause: error });
    this.#parts.onFailed(this.#failure);
  }

  async #orFail(
    sent: Promise<Millis | undefined>,
    onTooLarge: (error: RecordTooLarge) => void,
  ): Promise<Millis | undefined> {
    try {
      return await sent;
    } catch (error) {
      if (error instanceof RecordTooLarge) onTooLarge(error);
      else this.fail(error);
      throw error;
    }
  }
}
