export { ConfigurationError, type Finding } from './configuration-error.ts';
export type { Environment } from './environment.ts';
export type {
  FlatlineConfig,
  HttpCertificate,
  HttpConfig,
  HttpProtection,
  HttpSecrets,
  IngestConfig,
  KafkaConfig,
  KafkaCredentials,
  OidcConfig,
  OtlpConfig,
  TlsConfig,
} from './flatline-config.ts';
export {
  type AskedRecord,
  defineReducer,
  kindOf,
  type PipelineConfig,
  type Reducer,
  type ReducerDefinition,
  type ReducerEvent,
  type RoutedOutput,
  type RouteFunction,
} from '@flatline/kind-modules';
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
export type { EndpointConfig, NotifiedPipeline, NotifierConfig } from './notifier/notifier-config.ts';
export type { WebhookSecret } from './notifier/webhook-secret.ts';
export { resolveConfiguration, type ResolveOptions, SECRET_SECTIONS, type SecretSection } from './resolve.ts';
export { rulesText } from './rules-text.ts';
export type { ConfigurationInput } from './schema.ts';
