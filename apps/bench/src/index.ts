export { BENCHMARKS } from './benchmarks.ts';
