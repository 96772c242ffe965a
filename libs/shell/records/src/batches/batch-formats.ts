import type { BadOutcome } from '../bad-input.ts';
import { readJsonRecord } from '../json/json-record.ts';
import { type ReadingOptions, RecordFormats } from '../record-formats.ts';
import { asBuffer, TextReader } from '../text-reader.ts';
import { BATCH_SHAPE, type BatchDraft, blankBatch, type ReceivedBatch } from './batch-shape.ts';
import { BATCH_SCHEMA } from './open-batch-encoder.ts';

export type ReadBatch = { readonly kind: 'batch'; readonly batch: ReceivedBatch } | BadOutcome;
export type BatchOutcome = ReadBatch | { readonly kind: 'unknownSchema'; readonly schemaId: number };

/** Decodes batches from the records of an output topic, for its readers. */
export class BatchFormats {
  readonly #formats: RecordFormats<BatchDraft>;

  constructor(options: ReadingOptions) {
    const readJson = (buffer: Buffer, start: number, end: number, draft: BatchDraft): void => {
      readJsonRecord(BATCH_SHAPE, buffer, start, end, draft);
    };
    this.#formats = new RecordFormats(
      { shape: BATCH_SHAPE, schema: BATCH_SCHEMA, readJson },
      options,
      new TextReader(),
    );
  }

  /** Decodes a value. Never throws on bad bytes. */
  decode(value: Uint8Array): BatchOutcome {
    const batch = blankBatch();
    const outcome = this.#formats.read(asBuffer(value), 0, value.length, batch);
    return outcome.kind === 'read' ? { kind: 'batch', batch } : outcome;
  }

  /** Decodes, and fetches the writer schema first where it is not known. @throws Retriable where the registry does not answer. */
  async read(value: Uint8Array): Promise<ReadBatch> {
    for (;;) {
      const outcome = this.decode(value);
      if (outcome.kind !== 'unknownSchema') return outcome;
      await this.prepare(outcome.schemaId);
    }
  }

  /** Fetches a writer schema; afterwards `decode` knows it or calls it bad. @throws Retriable where the registry does not answer. */
  prepare(schemaId: number): Promise<void> {
    return this.#formats.prepare(schemaId);
  }
}
