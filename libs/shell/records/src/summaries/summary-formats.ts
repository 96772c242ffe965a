import type { SessionSummary, SummaryEncoder } from '@flatline/ports/formats';
import { AvroRecordWriter } from '../avro/avro-record-writer.ts';
import { type OwnSchema, ownSchema } from '../avro/schema.ts';
import { badOutcome, type BadOutcome } from '../bad-input.ts';
import { outputSchemaId, type Format } from '../format.ts';
import { readJsonRecord } from '../json/json-record.ts';
import { RecordFormats, type ReadingOptions } from '../record-formats.ts';
import type { SchemaRegistry } from '../registry/schema-registry.ts';
import { asBuffer, TextReader } from '../text-reader.ts';
import { SummaryJsonEncoder } from './summary-json.ts';
import { ReducedSummaryWriter, summarySchemaWith } from './reduced-summary.ts';
import {
  blankDraft,
  finishDraft,
  RECEIVED_SHAPE,
  type ReceivedSummary,
  SUMMARY_SHAPE,
  type SummaryDraft,
} from './summary-shape.ts';

export const SUMMARY_SCHEMA = ownSchema('session-summary');

/**
 * The encoder of an output. Avro finds or registers the schema under the topic's subject first; encoding then is synchronous.
 * `reduced`: the schema of a reducer's results, where there is one (S10).
 * @throws Fatal, Retriable; the message names SCHEMA_REGISTRY_URL.
 */
export async function openSummaryEncoder(
  format: Format,
  topic: string,
  registry: SchemaRegistry | undefined,
  reduced?: string,
): Promise<SummaryWriter> {
  const schema = reducedSchema(reduced);
  return summaryEncoder(await outputSchemaId({ format, topic, schema }, registry), reduced !== undefined);
}

/** The schema of summaries with what a reducer came to, whose Avro schema is `result`; undefined: there is no reducer. */
export function reducedSchema(result: string | undefined): OwnSchema {
  return result === undefined ? SUMMARY_SCHEMA : summarySchemaWith(SUMMARY_SCHEMA, result);
}

/** Writes summaries in one format. */
export interface SummaryWriter extends SummaryEncoder {
  /** As it is, for good. */
  encode(summary: SessionSummary): Uint8Array;
  /** The same bytes, valid until the next call. */
  view(summary: SessionSummary): Uint8Array;
}

/** In Avro under that id of the schema, in JSON without one. `isReduced`: the schema has a reducer's results. */
export function summaryEncoder(schemaId: number | undefined, isReduced = false): SummaryWriter {
  if (schemaId === undefined) return new SummaryJsonEncoder();
  return isReduced ? new ReducedSummaryWriter(schemaId) : new AvroRecordWriter(schemaId, SUMMARY_SHAPE);
}

export type ReadSummary = { readonly kind: 'summary'; readonly summary: ReceivedSummary } | BadOutcome;
export type SummaryOutcome = ReadSummary | { readonly kind: 'unknownSchema'; readonly schemaId: number };

/** Decodes summaries from the records of an output topic, for its readers. A null value is a tombstone, and no summary. */
export class SummaryFormats {
  readonly #formats: RecordFormats<SummaryDraft>;

  constructor(options: ReadingOptions) {
    const readJson = (buffer: Buffer, start: number, end: number, draft: SummaryDraft): void => {
      readJsonRecord(RECEIVED_SHAPE, buffer, start, end, draft);
    };
    this.#formats = new RecordFormats(
      { shape: RECEIVED_SHAPE, schema: SUMMARY_SCHEMA, readJson },
      options,
      new TextReader(),
    );
  }

  /** Decodes a value. Never throws on bad bytes. */
  decode(value: Uint8Array): SummaryOutcome {
    const draft = blankDraft();
    const outcome = this.#formats.read(asBuffer(value), 0, value.length, draft);
    if (outcome.kind !== 'read') return outcome;
    try {
      return { kind: 'summary', summary: finishDraft(draft) };
    } catch (error) {
      return badOutcome(error);
    }
  }

  /** Fetches a writer schema; afterwards `decode` knows it or calls it bad. @throws Retriable where the registry does not answer. */
  prepare(schemaId: number): Promise<void> {
    return this.#formats.prepare(schemaId);
  }

  /** Decodes, and fetches the writer schema first where it is not known. @throws Retriable. */
  async read(value: Uint8Array): Promise<ReadSummary> {
    for (;;) {
      const outcome = this.decode(value);
      if (outcome.kind !== 'unknownSchema') return outcome;
      await this.prepare(outcome.schemaId);
    }
  }
}
