// Delivers the outputs of a configuration's pipelines from a process of its own:
//
//   node --conditions=@flatline/source apps/notifier/src/main.ts --config flatline.config.json --state-dir state --http-port 0
//
// Its log is JSON lines on standard output. Exit code 0: it was asked to end; 2: the configuration or the topics are wrong; 5: it could
// not go on.
import { Misconfigured, messageOf } from '@flatline/base';
import { ConfigurationError, type FlatlineConfig, loadConfiguration } from '@flatline/config';
import { type ProcessorLog, startProcessor } from '@flatline/processor';
import { systemClock } from '@flatline/system';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = 2;
const FAILED = 5;

const log: ProcessorLog = { info: writer('info'), warn: writer('warn'), error: writer('error') };

try {
  const config = await configured();
  const processor = await startProcessor(config, { log, checksTopics: true });
  log.info('answers over HTTP', { address: processor.httpAddress });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void processor.stop());
  await processor.finished;
} catch (error) {
  log.error(messageOf(error), {});
  process.exitCode = error instanceof Misconfigured || error instanceof ConfigurationError ? USAGE : FAILED;
}

/** The configuration with those pipelines alone that keep deliveries. @throws ConfigurationError, Misconfigured */
async function configured(): Promise<FlatlineConfig> {
  const { values: flags } = parseArgs({
    options: {
      config: { type: 'string' },
      instance: { type: 'string' },
      'state-dir': { type: 'string' },
      'http-port': { type: 'string' },
    },
  });
  const place = { folder: process.cwd(), environment: process.env, now: systemClock.wallMs() };
  const config = await loadConfiguration({ file: flags.config, ...place });
  if (config.notifier === undefined)
    throw new Misconfigured('the configuration has no section notifier, so nothing is delivered');
  const { instance, 'state-dir': stateDir, 'http-port': port } = flags;
  if (port !== undefined && !/^\d{1,5}$/.test(port)) throw new Misconfigured(`--http-port ${port} is no port`);
  return {
    ...config,
    ingest: undefined,
    http: port === undefined ? config.http : { ...config.http, port: Number(port) },
    ...(instance !== undefined && { instance, instanceId: instance }),
    ...(stateDir !== undefined && { stateDir: resolve(stateDir) }),
    pipelines: config.notifier.pipelines.map(({ deliveries }) => deliveries),
  };
}

function writer(level: 'info' | 'warn' | 'error'): ProcessorLog['info'] {
  return (message, facts = {}) => {
    const shown = Object.entries(facts).map(([name, value]) => [name, value instanceof Error ? value.message : value]);
    const time = new Date(systemClock.wallMs()).toISOString();
    process.stdout.write(`${JSON.stringify({ time, level, message, ...Object.fromEntries(shown) })}\n`);
  };
}
