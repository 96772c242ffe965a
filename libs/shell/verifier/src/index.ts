export { verifyPipeline, type VerifyPipelineOptions } from './verify-pipeline.ts';
