export { cutInput, sourceOf } from './log-cut.ts';
export { rulesOf, verifyPipeline, type VerifyPipelineOptions } from './verify-pipeline.ts';
