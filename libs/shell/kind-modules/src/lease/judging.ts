import { keyedRecord } from '@flatline/oracle';
import type { KindJudging } from '../judging/kind-judging.ts';
import { fieldsReader, inputFormats, learning } from '../judging/readers.ts';
import type { LeasePipeline } from './settings.ts';

export const leaseJudging: KindJudging<LeasePipeline> = {
  rules: ({ rules, input }, common) => ({ kind: 'lease', ...rules, ...common, inputFormat: input.format }),
  readers: (pipeline, registry, settings) => ({
    input: learning(inputFormats(pipeline, settings), registry, (formats, record) =>
      keyedRecord(record, (value) => formats.request(value)),
    ),
    output: fieldsReader(registry),
  }),
};
