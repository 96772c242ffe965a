import type { Clock } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import type { KafkaOptions } from '@flatline/kafka';
import type { RuntimeLog } from '@flatline/runtime';

export function kafkaOptions(config: FlatlineConfig, clock: Clock, log: RuntimeLog): KafkaOptions {
  const { ssl, sasl } = config.kafka;
  return {
    brokers: config.brokers,
    clientId: `flatline-${config.application}`,
    clock,
    ssl,
    ...(sasl === undefined ? {} : { sasl }),
    log: ({ level, message, facts }) => {
      // Connection errors reach whoever asked, with what they mean; here they would be said twice.
      if (level === 'warn') log.warn(message, facts);
    },
  };
}
