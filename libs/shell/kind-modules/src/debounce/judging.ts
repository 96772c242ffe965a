import type { KindJudging } from '../judging/kind-judging.ts';
import { reducerRules } from '../judging/reducer-rules.ts';
import { AS_IT_LIES, fieldsReader } from '../judging/readers.ts';
import type { DebouncePipeline } from './settings.ts';

export const debounceJudging: KindJudging<DebouncePipeline> = {
  rules: ({ rules: { reduced, ...rules }, output }, common) => ({
    kind: 'debounce',
    ...rules,
    ...(reduced && { reduced: reducerRules(reduced) }),
    ...common,
    format: output.format,
  }),
  readers: (_pipeline, registry) => ({ input: AS_IT_LIES, output: fieldsReader(registry) }),
};
