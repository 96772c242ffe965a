// Every benchmark there is, by the name it is asked for.
import type { Benchmark } from './benchmark.ts';
import { failover } from './failover/failover.ts';
import { framed, over } from './frame/frame.ts';
import { growth } from './growth/growth.ts';
import { latency } from './latency/latency.ts';
import { memory } from './memory/memory.ts';
import { paced } from './paced/paced.ts';
import { lookUpPeer } from './peers/peer.ts';
import { benchmarkReaders, READER_SETTINGS } from './reader/reader-benchmark.ts';
import { restore } from './restore/restore.ts';
import { scale } from './scale/scale.ts';
import { storm } from './storm/storm.ts';
import { short, textTable } from './text-table.ts';
import { throughput } from './throughput/throughput.ts';
import { benchWheel } from './wheel/wheel-benchmark.ts';
import { formatWheelReport, wheelCharts } from './wheel/wheel-report.ts';
import { benchmarkCommits, COMMIT_SETTINGS } from './writer/commit-benchmark.ts';

const wheel: Benchmark = {
  name: 'wheel',
  description:
    "the timing wheel beside a heap, buckets of sets, setTimeout and ZooKeeper's tracker; minutes at 10 M timers",
  async run(options) {
    const { onProgress } = options;
    const report = await benchWheel({
      zookeeper: await lookUpPeer('zookeeper', options),
      onProgress: (contender, timers) => {
        onProgress(`${contender} at ${timers.toLocaleString('en')} timers`);
      },
    });
    return { figures: report, text: formatWheelReport(report), charts: wheelCharts(report) };
  },
};

const commits = framed({
  name: 'commits',
  description: "latency and rate of transactions, beside kafkajs' transactional producer",
  settings: (options) => over(COMMIT_SETTINGS, options),
  measure: benchmarkCommits,
  report: ({ measurements }) => {
    const rows = measurements.map((row) => [
      row.workload,
      row.candidate,
      String(row.writers),
      String(row.pauseMs),
      ...[row.p50Ms, row.p99Ms, row.commitsPerSecond, row.cpuMsPerCommit].map(short),
    ]);
    const head = ['workload', 'candidate', 'writers', 'pause ms', 'p50 ms', 'p99 ms', 'commits/s', 'CPU ms/commit'];
    return { figures: measurements, text: textTable([head, ...rows]) };
  },
});

const readers = framed({
  name: 'readers',
  description: "reading a topic and nothing else: our reader beside kafkajs' consumer",
  settings: (options) => over(READER_SETTINGS, options),
  measure: benchmarkReaders,
  report: ({ measurements }) => {
    const rows = measurements.map((row) => [
      row.reader,
      ...[row.eventsPerSecond, row.eventsPerCpuSecond, row.timesKafkajs.eventsPerCpuSecond].map(short),
    ]);
    return {
      figures: measurements,
      text: textTable([['reader', 'events/s', 'events/CPU s', 'times kafkajs'], ...rows]),
    };
  },
});

/** The first is run where none is named. */
export const BENCHMARKS: readonly Benchmark[] = [
  throughput,
  paced,
  readers,
  commits,
  wheel,
  failover,
  restore,
  latency,
  storm,
  scale,
  memory,
  growth,
];
