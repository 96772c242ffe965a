// A kind whose codecs have all schemas at hand: nothing is waited for.
import { assert, type Clock, Fatal } from '@flatline/base';
import type { PipelineKind } from '@flatline/kinds';
import type { ReadingOptions, SchemasAtHand } from '@flatline/records';
import type { AnyPipeline } from './pipeline.ts';

export interface KindAtHand<Value> {
  readonly kind: PipelineKind;
  /** Reads a value of the output; of a run, what it says is in the headers. */
  readonly read: (value: Uint8Array) => Value;
}

export interface AtHand {
  readonly input: ReadingOptions;
  readonly output: ReadingOptions;
  /** Id of a schema of the output, in Avro. */
  readonly idOf: (schema: { readonly text: string }) => number | undefined;
}

/** Codecs that have all schemas at hand ask for no time. */
const NO_CLOCK: Clock = {
  wallMs: () => 0,
  monotonicMs: () => 0,
  after: () => {
    throw new Fatal('a pipeline in memory waits for nothing');
  },
};

export function schemasFor({ input, output }: AnyPipeline, schemas: SchemasAtHand): AtHand {
  const reading = { registry: schemas, clock: NO_CLOCK };
  return {
    input: { ...reading, format: input.format },
    output: { ...reading, format: output.format },
    idOf: ({ text }) => (output.format === 'avro' ? schemas.idOf(text) : undefined),
  };
}

export type Sound<Read> = Exclude<Read, { readonly kind: 'bad' | 'unknownSchema' }>;

/** Asserts that a value written by a codec can be read by it. */
export function sound<Read extends { readonly kind: string }>(read: Read): Sound<Read> {
  assert(read.kind !== 'bad' && read.kind !== 'unknownSchema', 'an output can be read', { read });
  return read as Sound<Read>;
}
