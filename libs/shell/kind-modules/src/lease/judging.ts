import { keyedRecord } from '@flatline/oracle';
import { judgedAttributes } from '../attributes/judged-attributes.ts';
import type { KindJudging } from '../judging/kind-judging.ts';
import { fieldsReader, inputFormats, learning } from '../judging/readers.ts';
import type { LeasePipeline } from './settings.ts';

export const leaseJudging: KindJudging<LeasePipeline> = {
  rules: (pipeline, common) => ({
    kind: 'lease',
    ...pipeline.rules,
    ...common,
    inputFormat: pipeline.input.format,
    ...judgedAttributes(pipeline),
  }),
  readers: (pipeline, registry, settings) => ({
    input: learning(inputFormats(pipeline, settings), registry, (formats, record) =>
      keyedRecord(record, (value) => formats.request(value)),
    ),
    output: fieldsReader(registry),
  }),
};
