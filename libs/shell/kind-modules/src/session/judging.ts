import { inputRecord } from '@flatline/oracle';
import type { KindJudging } from '../judging/kind-judging.ts';
import { fieldsReader, inputFormats, learning } from '../judging/readers.ts';
import type { SessionPipeline } from './settings.ts';

export const sessionJudging: KindJudging<SessionPipeline> = {
  rules: ({ rules, input }, common) => ({ kind: 'session', ...rules, ...common, inputFormat: input.format }),
  readers: (pipeline, registry, settings) => ({
    input: learning(inputFormats(pipeline, settings), registry, (formats, record) =>
      inputRecord(record, (value) => formats.event(value)),
    ),
    output: fieldsReader(registry),
  }),
};
