export {
  BEAT_LOAD,
  benchmarkReaders,
  type ReaderBenchmark,
  type ReaderMeasurement,
} from './reader/reader-benchmark.ts';
export {
  benchmarkCommits,
  COMMIT_WORKLOADS,
  type CommitBenchmark,
  type CommitMeasurement,
} from './writer/commit-benchmark.ts';
