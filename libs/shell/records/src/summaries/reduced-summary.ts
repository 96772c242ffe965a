// Summaries in Avro with what a reducer came to (S10): the last field, of the schema that the reducer declares. What else there is
// stays as it is without one, so that readers of the former schema read it.
import type { SessionSummary, SummaryEncoder } from '@flatline/ports/formats';
import { AvroRecordWriter } from '../avro/avro-record-writer.ts';
import { type OwnSchema, parseOwnSchema } from '../avro/schema.ts';
import { SUMMARY_SHAPE } from './summary-shape.ts';

/** Bytes of a branch of the union: null, and the result. */
const NOTHING = Uint8Array.of(0);
const RESULT = Uint8Array.of(2);

/** `result`: an Avro schema, of which each type has a name of its own. */
export function summarySchemaWith({ text }: OwnSchema, result: string): OwnSchema {
  const schema = JSON.parse(text) as { readonly fields: readonly object[] };
  const reduced = { name: 'reduced', type: ['null', JSON.parse(result) as unknown], default: null };
  return parseOwnSchema(JSON.stringify({ ...schema, fields: [...schema.fields, reduced] }));
}

export class ReducedSummaryWriter implements SummaryEncoder {
  readonly #summaries: AvroRecordWriter<SessionSummary>;

  constructor(schemaId: number) {
    this.#summaries = new AvroRecordWriter(schemaId, SUMMARY_SHAPE);
  }

  encode(summary: SessionSummary): Uint8Array {
    const { avro } = summary.reduced ?? {};
    const parts = avro === undefined ? [NOTHING] : [RESULT, avro];
    return Buffer.concat([this.#summaries.view(summary), ...parts]);
  }

  view(summary: SessionSummary): Uint8Array {
    return this.encode(summary);
  }
}
