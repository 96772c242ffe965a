import type { KindJudging } from '../judging/kind-judging.ts';
import { AS_IT_LIES, fieldsReader } from '../judging/readers.ts';
import type { DebouncePipeline } from './settings.ts';

export const debounceJudging: KindJudging<DebouncePipeline> = {
  rules: ({ rules, output }, common) => ({ kind: 'debounce', ...rules, ...common, format: output.format }),
  readers: (_pipeline, registry) => ({ input: AS_IT_LIES, output: fieldsReader(registry) }),
};
