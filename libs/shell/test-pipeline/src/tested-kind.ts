// A pipeline's kind over the product's own codecs, with schemas at hand, and its outputs read as the SDK reads them.
import { assert, type Clock, Fatal } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import { debounceView, type EntryView, leaseView, type PipelineKind, scheduleView, sessionView } from '@flatline/kinds';
import { leasesOf, schedulesOf, sessionsOf, windowsOf } from '@flatline/processor/kinds';
import {
  BATCH_SCHEMA,
  batchEncoder,
  BatchFormats,
  EventFormats,
  LEASE_EVENT_SCHEMA,
  leaseEventEncoder,
  LeaseEventFormats,
  type ReadingOptions,
  RequestFormats,
  type SchemasAtHand,
  SUMMARY_SCHEMA,
  summaryEncoder,
  SummaryFormats,
} from '@flatline/records';
import type { OutputValue } from './outputs.ts';

/** Codecs that have all schemas at hand ask for no time. */
const NO_CLOCK: Clock = {
  wallMs: () => 0,
  monotonicMs: () => 0,
  after: () => {
    throw new Fatal('a test pipeline waits for nothing');
  },
};

export interface TestedKind {
  readonly kind: PipelineKind;
  readonly view: EntryView;
  /** Reads a value of the output. */
  readonly read: (value: Uint8Array) => OutputValue;
}

export function testedKind(pipeline: PipelineConfig, schemas: SchemasAtHand): TestedKind {
  const reading = { format: pipeline.input.format, registry: schemas, clock: NO_CLOCK };
  const written: ReadingOptions = { ...reading, format: pipeline.output.format };
  const idOf = ({ text }: { readonly text: string }): number | undefined =>
    pipeline.output.format === 'avro' ? schemas.idOf(text) : undefined;
  switch (pipeline.kind) {
    case 'session': {
      const codecs = { decoder: new EventFormats(reading), encoder: summaryEncoder(idOf(SUMMARY_SCHEMA)) };
      const formats = new SummaryFormats(written);
      const view = sessionView(pipeline.rules) as EntryView;
      return { kind: sessionsOf(pipeline, codecs), view, read: (value) => sound(formats.decode(value)) };
    }
    case 'lease': {
      const codecs = { decoder: new RequestFormats(reading), encoder: leaseEventEncoder(idOf(LEASE_EVENT_SCHEMA)) };
      const formats = new LeaseEventFormats(written);
      const view = leaseView as EntryView;
      return { kind: leasesOf(pipeline, codecs), view, read: (value) => sound(formats.decode(value)) };
    }
    case 'debounce': {
      const formats = new BatchFormats(written);
      const kind = windowsOf(pipeline, batchEncoder(idOf(BATCH_SCHEMA)));
      return { kind, view: debounceView, read: (value) => sound(formats.decode(value)) };
    }
    case 'schedule':
      return { kind: schedulesOf(pipeline), view: scheduleView, read: () => ({ kind: 'run' }) };
  }
}

/** Asserts that a value written by a codec can be read by it. */
function sound<Read extends { readonly kind: string }>(
  read: Read,
): Exclude<Read, { readonly kind: 'bad' | 'unknownSchema' }> {
  assert(read.kind !== 'bad' && read.kind !== 'unknownSchema', 'an output can be read', { read });
  return read as Exclude<Read, { readonly kind: 'bad' | 'unknownSchema' }>;
}
