export { cutInput, sourceOf } from './log-cut.ts';
export { rulesOf } from './rules-of.ts';
export { verifyPipeline, type VerifyPipelineOptions } from './verify-pipeline.ts';
export type { Since } from './pipeline-histories.ts';
