import type { Clock } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import { KafkaAccess, type KafkaOptions } from '@flatline/kafka';
import type { RuntimeLog } from '@flatline/runtime';
import { BrokerOutages } from './log/broker-outages.ts';
import { calmLog } from './log/calm-log.ts';

/** Facts of kafkajs' log that ours has already, or that are of no use. */
const OWN_TO_KAFKAJS: ReadonlySet<string> = new Set(['namespace', 'stack', 'timestamp', 'logger', 'clientId']);

export interface Logs {
  readonly log: RuntimeLog;
  readonly outages: BrokerOutages;
}

export function kafkaOptions(config: FlatlineConfig, clock: Clock, { log, outages }: Logs): KafkaOptions {
  return {
    brokers: config.brokers,
    clientId: `flatline-${config.application}`,
    clock,
    access: new KafkaAccess({
      clock,
      credentials: config.kafka.credentials,
      onTrouble: (why) => {
        log.warn('the login at the brokers goes on as it was', { why });
      },
    }),
    log: ({ level, message, facts }) => {
      // Connection errors reach the caller and `onConnection`; here each attempt would be logged once more.
      if (level !== 'warn' || facts['namespace'] === 'Connection') return;
      log.warn(message, Object.fromEntries(Object.entries(facts).filter(([name]) => !OWN_TO_KAFKAJS.has(name))));
    },
    onConnection: (event) => {
      outages.note(event);
    },
  };
}

/** Options of a process that reads outputs alone: a supervisor. */
export function pushKafka(config: FlatlineConfig, clock: Clock, log: RuntimeLog): KafkaOptions {
  return kafkaOptions(config, clock, { log: calmLog(log, clock), outages: new BrokerOutages(log, clock) });
}
