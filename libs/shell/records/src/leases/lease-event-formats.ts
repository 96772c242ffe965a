import type { BadOutcome } from '../bad-input.ts';
import { readJsonRecord } from '../json/json-record.ts';
import { type ReadingOptions, RecordFormats } from '../record-formats.ts';
import { asBuffer, TextReader } from '../text-reader.ts';
import { LEASE_EVENT_SCHEMA } from './lease-event-encoder.ts';
import {
  blankLeaseEvent,
  LEASE_EVENT_IN_JSON,
  LEASE_EVENT_SHAPE,
  type ReceivedLeaseEvent,
} from './lease-event-shape.ts';

export type ReadLeaseEvent = { readonly kind: 'leaseEvent'; readonly event: ReceivedLeaseEvent } | BadOutcome;
export type LeaseEventOutcome = ReadLeaseEvent | { readonly kind: 'unknownSchema'; readonly schemaId: number };

/** Decodes lease events from the records of an output topic, for its readers. */
export class LeaseEventFormats {
  readonly #formats: RecordFormats<ReceivedLeaseEvent>;

  constructor(options: ReadingOptions) {
    const readJson = (buffer: Buffer, start: number, end: number, event: ReceivedLeaseEvent): void => {
      readJsonRecord(LEASE_EVENT_IN_JSON, buffer, start, end, event);
    };
    const kind = { shape: LEASE_EVENT_SHAPE, schema: LEASE_EVENT_SCHEMA, readJson };
    this.#formats = new RecordFormats(kind, options, new TextReader());
  }

  /** undefined: it is no lease event. Fetches the writer schema first where it is not known. @throws Retriable. */
  async read(value: Uint8Array): Promise<ReceivedLeaseEvent | undefined> {
    const outcome = await this.readOrWhy(value);
    return outcome.kind === 'leaseEvent' ? outcome.event : undefined;
  }

  /** The same, and says why it is none. */
  async readOrWhy(value: Uint8Array): Promise<ReadLeaseEvent> {
    for (;;) {
      const outcome = this.decode(value);
      if (outcome.kind !== 'unknownSchema') return outcome;
      await this.#formats.prepare(outcome.schemaId);
    }
  }

  /** Decodes a value. Never throws on bad bytes. */
  decode(value: Uint8Array): LeaseEventOutcome {
    const event = blankLeaseEvent();
    const outcome = this.#formats.read(asBuffer(value), 0, value.length, event);
    return outcome.kind === 'read' ? { kind: 'leaseEvent', event } : outcome;
  }
}
