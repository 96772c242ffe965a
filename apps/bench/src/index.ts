export {
  benchmarkCommits,
  COMMIT_WORKLOADS,
  type CommitBenchmark,
  type CommitMeasurement,
} from './writer/commit-benchmark.ts';
