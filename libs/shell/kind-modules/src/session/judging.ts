import { type InputRecord, inputRecord, type RawRecord, type ValueFormats } from '@flatline/oracle';
import type { KindJudging } from '../judging/kind-judging.ts';
import { reducerRules } from '../judging/reducer-rules.ts';
import { fieldsReader, formatsAs, inputFormats, learning } from '../judging/readers.ts';
import { mergedRules } from '../pipeline.ts';
import type { SessionPipeline } from './settings.ts';

const event = (formats: ValueFormats, record: RawRecord): InputRecord =>
  inputRecord(record, (value) => formats.event(value));

/** With all fields, which a reducer sees. */
const reducedEvent = (formats: ValueFormats, record: RawRecord): InputRecord => {
  const read = event(formats, record);
  if (record.value === null || read.event === undefined || read.event === 'bad') return read;
  return { ...read, fields: formats.allFields(record.value) };
};

export const sessionJudging: KindJudging<SessionPipeline> = {
  rules: ({ rules: { reducer, ...rules }, input, inputs }, common) => ({
    kind: 'session',
    ...rules,
    ...(reducer && { reducer: reducerRules(reducer) }),
    ...common,
    ...(inputs && { inputs: mergedRules(inputs) }),
    inputFormat: input.format,
  }),
  readers: (pipeline, registry, settings) => ({
    input: learning(
      inputFormats(pipeline, settings),
      registry,
      pipeline.rules.reducer === undefined ? event : reducedEvent,
    ),
    furtherInputs: (pipeline.inputs ?? []).slice(1).map(({ format }) => learning(formatsAs(format), registry, event)),
    output: fieldsReader(registry),
  }),
};
