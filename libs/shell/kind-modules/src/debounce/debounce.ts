// All that the shell knows of windows.
import type { PipelineKind } from '@flatline/kinds';
import {
  BATCH_BYTES_MAX,
  debounceKind,
  type DebounceOptions,
  debounceSaid,
  debounceView,
} from '@flatline/kinds/debounce';
import { type ReducerWatch, StateReducer } from '@flatline/kinds/reducing';
import { BATCH_SCHEMA, batchEncoder, BatchFormats, openBatchEncoder, type ReadBatch } from '@flatline/records/batches';
import { type Sound, sound } from '../at-hand.ts';
import type { KindModule } from '../kind-module.ts';
import { AROUND_BYTES } from '../largest.ts';
import { valueAsJson } from '../output-json.ts';
import { debounceIntake } from './intake.ts';
import { debounceMetrics } from './metrics.ts';
import { debouncePart, type DebouncePipeline, debounceProblems, debounceSection } from './settings.ts';

export const debounce: KindModule<DebouncePipeline, typeof debounceSection, Sound<ReadBatch>> = {
  form: debounceSection,
  fill: () => undefined,
  problems: debounceProblems,
  resolve: debouncePart,
  inputUse: 'input',
  targetUse: 'outputs',
  obeys: { severalInputs: false, attributes: false, attributePlaces: false },
  decisiveFormats: ({ output }) => ({ format: output.format }),
  silence: ({ rules }) => rules.waitMs,
  outage: () => ({
    doesHarm: false,
    text: 'windows due meanwhile fire behind it, and what comes late begins the next ones',
  }),
  // The kind itself bounds a batch by what a record of the output may be.
  largest: ({ input: { maxKeyBytes } }) => ({
    outputBytes: AROUND_BYTES + maxKeyBytes + BATCH_BYTES_MAX,
    settings: { maxKeyBytes },
    outputs: 'a batch',
  }),
  taskSettings: () => ({}),
  open: async ({ pipeline, registry, watch }) => {
    const { format, topic } = pipeline.output;
    const encoder = await openBatchEncoder(format, topic, registry);
    return windowsOver(
      pipeline,
      encoder,
      pipeline.rules.reducer === 'custom' ? watch?.(pipeline.input.topic) : undefined,
    );
  },
  atHand: (pipeline, { output, idOf }) => {
    const formats = new BatchFormats(output);
    const kind = windowsOver(pipeline, batchEncoder(idOf(BATCH_SCHEMA)));
    return { kind, read: (value) => sound(formats.decode(value)) };
  },
  intake: debounceIntake,
  emits: undefined,
  view: () => debounceView,
  said: debounceSaid,
  asJson: valueAsJson,
  columns: [
    { name: 'fires (UTC)', width: 19, text: ({ firesAt }, { time }) => time(firesAt) },
    { name: 'items', width: 8, text: ({ count }) => count as number },
    { name: 'bytes', width: 10, text: ({ bytes }) => bytes as number },
    { name: 'window', width: 16, text: ({ windowId }) => windowId as string },
  ],
  metrics: debounceMetrics,
  judging: async () => (await import('./judging.ts')).debounceJudging,
};

function windowsOver(
  { rules, output }: DebouncePipeline,
  encoder: DebounceOptions['encoder'],
  watch?: ReducerWatch,
): PipelineKind {
  const { reduced } = rules;
  const watched = reduced && watch && { ...rules, reduced: new StateReducer(reduced.named, watch) };
  return debounceKind({ rules: watched ?? rules, encoder, outputTopic: output.topic, watch });
}
