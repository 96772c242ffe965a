import {
  type DecodeOutcome,
  type LeaseRequest,
  type LeaseRequestDecoder,
  resetLeaseRequest,
} from '@flatline/ports/formats';
import { ownSchema } from '../avro/schema.ts';
import { asRefused } from '../bad-input.ts';
import { requireRegistry } from '../format.ts';
import { readJsonRecord } from '../json/json-record.ts';
import { RecordFormats, type ReadingOptions } from '../record-formats.ts';
import { asBuffer, TextReader } from '../text-reader.ts';
import { REQUEST_SHAPE } from './request-shape.ts';

const REQUEST: DecodeOutcome = { kind: 'event' };

/** Decodes requests for leases, in any format. The tasks of an input may share one. */
export class RequestFormats implements LeaseRequestDecoder {
  readonly #formats: RecordFormats<LeaseRequest>;

  constructor(options: ReadingOptions) {
    const readJson = (buffer: Buffer, start: number, end: number, target: LeaseRequest): void => {
      readJsonRecord(REQUEST_SHAPE, buffer, start, end, target);
    };
    const kind = { shape: REQUEST_SHAPE, schema: REQUEST_SCHEMA, readJson };
    this.#formats = new RecordFormats(kind, options, new TextReader());
  }

  decode(bytes: Uint8Array, start: number, length: number, target: LeaseRequest): DecodeOutcome {
    resetLeaseRequest(target);
    const outcome = this.#formats.read(asBuffer(bytes), start, start + length, target);
    if (outcome.kind === 'read') return REQUEST;
    return outcome.kind === 'bad' ? asRefused(outcome) : outcome;
  }

  prepare(schemaId: number): Promise<void> {
    return this.#formats.prepare(schemaId);
  }
}

export const REQUEST_SCHEMA = ownSchema('lease-request');

/**
 * The decoder of one input. Where the format is fixed to Avro, the registry has to be there and to answer.
 * @throws Fatal, Retriable; the message names SCHEMA_REGISTRY_URL.
 */
export async function openRequestDecoder(topic: string, options: ReadingOptions): Promise<LeaseRequestDecoder> {
  if (options.format === 'avro') await requireRegistry(options.registry, `The input ${topic}`).check();
  return new RequestFormats(options);
}
