// Keeps deliveries, over any log: for worlds of simulated clusters.
export { readKept } from './kept-state.ts';
export { pipelineSettings } from '../pipeline-settings.ts';
