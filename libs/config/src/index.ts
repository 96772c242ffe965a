export {
  transactionalId,
  type FlatlineConfig,
  type HttpConfig,
  type InputConfig,
  type KafkaConfig,
  type PipelineConfig,
} from './flatline-config.ts';
