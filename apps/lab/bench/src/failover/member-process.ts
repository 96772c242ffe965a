// One instance of the processor in a process of its own: told what to be in its argument, it says where it answers, and
// what it costs between two messages.
import { resolveConfiguration } from '@flatline/config';
import { startProcessor } from '@flatline/processor';
import { LoopDelayMeter } from '../loop-delay.ts';
import { PIPELINE } from '../bench-topics.ts';
import { type MemberCost, type MemberTask, PROBE_TIMEOUT_MS } from './failover-scenario.ts';

const log = {
  info: () => undefined,
  // What a departing instance says is no news here.
  warn: () => undefined,
  error: (message: string, facts?: object) => {
    console.error(message, facts);
  },
};

const task = JSON.parse(process.argv[2]!) as MemberTask;
const { application, brokers, stateDir, instance, topic, standbys, sessionTimeoutMs } = task;
const { timeoutMs = PROBE_TIMEOUT_MS, proofIntervalMs, compression } = task;
const output = { topic: `${application}.output`, format: 'json', compression };
const pipeline = { name: PIPELINE, kind: 'session', timeoutMs, proofIntervalMs, input: { topic }, output, standbys };
const file = { application, brokers, stateDir, instance, http: { port: 0 }, pipelines: [pipeline] };
const config = resolveConfiguration(
  { ...file, kafka: { sessionTimeoutMs } },
  { source: 'flatline bench', folder: stateDir, environment: {} },
);
const processor = await startProcessor(config, { log });
process.on('SIGTERM', () => {
  void processor.stop().then(() => process.exit(0));
});
const loopDelay = new LoopDelayMeter();
let cpuBefore = process.cpuUsage();
process.on('message', (ask) => {
  if (ask === 'begin') {
    loopDelay.begin();
    cpuBefore = process.cpuUsage();
    return;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const cost: MemberCost = { cpuMs: (user + system) / 1_000, loopDelay: loopDelay.end() };
  process.send!(cost);
});
// A benchmark that is interrupted takes its processes with it.
process.once('disconnect', () => process.exit(1));
process.send!(processor.httpAddress);
