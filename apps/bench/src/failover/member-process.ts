// One instance of the processor in a process of its own: told what to be in its argument, it says where it answers.
import { resolveConfiguration } from '@flatline/config';
import { startProcessor } from '@flatline/processor';
import { type MemberTask, PIPELINE, PROBE_TIMEOUT_MS } from './failover-scenario.ts';

const log = {
  info: () => undefined,
  // What a departing instance says is no news here.
  warn: () => undefined,
  error: (message: string, facts?: object) => {
    console.error(message, facts);
  },
};

const { application, brokers, stateDir, instance, topic, standbys, sessionTimeoutMs } = JSON.parse(
  process.argv[2]!,
) as MemberTask;
const output = { topic: `${application}.output`, format: 'json' };
const pipeline = { name: PIPELINE, kind: 'session', timeoutMs: PROBE_TIMEOUT_MS, input: { topic }, output, standbys };
const file = { application, brokers, stateDir, instance, http: { port: 0 }, pipelines: [pipeline] };
const config = resolveConfiguration(
  { ...file, kafka: { sessionTimeoutMs } },
  { source: 'flatline bench', folder: stateDir, environment: {} },
);
const processor = await startProcessor(config, { log });
process.on('SIGTERM', () => {
  void processor.stop().then(() => process.exit(0));
});
process.send!(processor.httpAddress);
