import { type InputRecord, inputRecord, type RawRecord, type ValueFormats } from '@flatline/oracle';
import type { KindJudging } from '../judging/kind-judging.ts';
import { fieldsReader, formatsAs, inputFormats, learning } from '../judging/readers.ts';
import { mergedRules } from '../pipeline.ts';
import type { SessionPipeline } from './settings.ts';

const event = (formats: ValueFormats, record: RawRecord): InputRecord =>
  inputRecord(record, (value) => formats.event(value));

export const sessionJudging: KindJudging<SessionPipeline> = {
  rules: ({ rules, input, inputs }, common) => ({
    kind: 'session',
    ...rules,
    ...common,
    ...(inputs && { inputs: mergedRules(inputs) }),
    inputFormat: input.format,
  }),
  readers: (pipeline, registry, settings) => ({
    input: learning(inputFormats(pipeline, settings), registry, event),
    furtherInputs: (pipeline.inputs ?? []).slice(1).map(({ format }) => learning(formatsAs(format), registry, event)),
    output: fieldsReader(registry),
  }),
};
