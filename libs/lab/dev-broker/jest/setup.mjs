// Jest `globalSetup: '@flatline/dev-broker/jest-setup'`: a broker of its own for a project's tests, unless KAFKA_BROKERS names one.
// Options come from the project's Jest configuration: `globals: { devBroker: { registry: true, nodes: 3 } }`.
//
// Plain JavaScript, because Jest imports this file with Node's own loader, which knows of sources only what the hook below tells it.
import { registerHooks } from 'node:module';

export default async function setUp(_globalConfig, projectConfig) {
  const { ensureBroker } = await importSources();
  const options = projectConfig.globals.devBroker ?? {};
  const log = (line) => process.stderr.write(`dev-broker: ${line}\n`);
  const broker = await ensureBroker({ ephemeral: true, shortLived: true, log, ...options });
  process.env.KAFKA_BROKERS = broker.bootstrap;
  if (broker.registryUrl !== undefined) process.env.SCHEMA_REGISTRY_URL = broker.registryUrl;
  globalThis[Symbol.for('@flatline/dev-broker')] = broker;
}

/** Runs on sources, like the tests, without requiring that Jest be started with `--conditions`. */
async function importSources() {
  const hook = registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ['@flatline/source', ...context.conditions] }),
  });
  try {
    return await import('@flatline/dev-broker');
  } finally {
    hook.deregister();
  }
}
