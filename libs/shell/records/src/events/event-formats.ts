import { type DecodeOutcome, type EventDecoder, resetEvent, type SessionEvent } from '@flatline/ports/formats';
import { ownSchema } from '../avro/schema.ts';
import { asRefused } from '../bad-input.ts';
import { requireRegistry } from '../format.ts';
import { readJsonRecord } from '../json/json-record.ts';
import { RecordFormats, type ReadingOptions } from '../record-formats.ts';
import { asBuffer, TextReader } from '../text-reader.ts';
import { AvroEventScanner } from './avro-event-scanner.ts';
import { EVENT_SHAPE } from './event-shape.ts';
import { JsonEventScanner } from './json-event-scanner.ts';

const EVENT: DecodeOutcome = { kind: 'event' };
const NOTHING = Buffer.alloc(0);

/** Decodes events from input records, in any format. The tasks of an input may share one: decoding is synchronous. */
export class EventFormats implements EventDecoder {
  readonly #formats: RecordFormats<SessionEvent>;
  /** The bytes decoded from last, which are nearly always those of the next event, and the same as a Buffer. */
  #bytes: Uint8Array = NOTHING;
  #buffer: Buffer = NOTHING;

  constructor(options: ReadingOptions) {
    const texts = new TextReader();
    const scanner = new JsonEventScanner(texts);
    const readJson = (buffer: Buffer, start: number, end: number, target: SessionEvent): void => {
      if (scanner.scan(buffer, start, end, target)) return;
      resetEvent(target);
      readJsonRecord(EVENT_SHAPE, buffer, start, end, target);
    };
    const avro = new AvroEventScanner(texts);
    const readOwnAvro = (buffer: Buffer, start: number, end: number, target: SessionEvent): boolean => {
      if (avro.scan(buffer, start, end, target)) return true;
      resetEvent(target);
      return false;
    };
    this.#formats = new RecordFormats(
      { shape: EVENT_SHAPE, schema: EVENT_SCHEMA, readJson, readOwnAvro },
      options,
      texts,
    );
  }

  decode(bytes: Uint8Array, start: number, length: number, target: SessionEvent): DecodeOutcome {
    resetEvent(target);
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#buffer = asBuffer(bytes);
    }
    const outcome = this.#formats.read(this.#buffer, start, start + length, target);
    if (outcome.kind === 'read') return EVENT;
    return outcome.kind === 'bad' ? asRefused(outcome) : outcome;
  }

  fields(bytes: Uint8Array, start: number, length: number): Readonly<Record<string, unknown>> {
    return this.#formats.fields(asBuffer(bytes), start, start + length);
  }

  prepare(schemaId: number): Promise<void> {
    return this.#formats.prepare(schemaId);
  }
}

export const EVENT_SCHEMA = ownSchema('session-event');

/**
 * The decoder of one input. Where the format is fixed to Avro, the registry has to be there and to answer.
 * @throws Fatal, Retriable; the message names SCHEMA_REGISTRY_URL.
 */
export async function openEventDecoder(topic: string, options: ReadingOptions): Promise<EventDecoder> {
  if (options.format === 'avro') await requireRegistry(options.registry, `The input ${topic}`).check();
  return new EventFormats(options);
}
