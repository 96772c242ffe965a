// The throughput benchmark, small, as a part of `npm test`: node --conditions=@flatline/source apps/lab/bench/src/gate/main.ts
import { join } from 'node:path';
import { workspaceOf } from '@flatline/dev-broker';
import { measureThroughput, THROUGHPUT_DEFAULTS } from '../throughput/throughput-benchmark.ts';
import { figuresOf } from '../throughput/throughput-report.ts';
import { gateVerdict } from './verdict.ts';

const settings = { ...THROUGHPUT_DEFAULTS, events: 1_000_000, warmUpShare: 0, sessions: 100_000, repeats: 2 };
const { events, sessions, repeats } = settings;

const measurement = await measureThroughput(settings, ['bare'], {
  workDir: join(workspaceOf(import.meta.url).root, '.flatline', 'bench'),
  peers: [],
  onProgress: (what) => {
    console.error(what);
  },
});
const verdict = gateVerdict(
  figuresOf(measurement.formats[0]!, measurement.contenders),
  `npx flatline bench throughput --peers none --format bare --events ${events} --sessions ${sessions} --repeats ${repeats}`,
);
console.log(verdict.text);
process.exit(verdict.passed ? 0 : 1);
