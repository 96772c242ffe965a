export { ConfigurationError, type Finding } from './configuration-error.ts';
export type { Environment } from './environment.ts';
export type {
  DebouncePipeline,
  FlatlineConfig,
  HttpConfig,
  IngestConfig,
  KafkaConfig,
  KafkaCredentials,
  LeasePipeline,
  PipelineConfig,
  SchedulePipeline,
  SessionPipeline,
  TlsConfig,
} from './flatline-config.ts';
export { configurationJsonSchema } from './json-schema.ts';
export {
  CONFIG_FILES,
  configFileOf,
  defineConfig,
  loadConfiguration,
  type LoadOptions,
  writtenSettings,
} from './load.ts';
export { transactionalId } from './names.ts';
export { type Outage, outageOf } from './outage.ts';
export { resolveConfiguration, type ResolveOptions, SECRET_SECTIONS, type SecretSection } from './resolve.ts';
export { rulesText } from './rules-text.ts';
export { type ConfigurationInput, DURATION_MAX_MS } from './schema.ts';
