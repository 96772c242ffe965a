import loggers, { type Logger, type LogRecord } from 'kafkajs/src/loggers/index.js';
import type { KafkaLogEntry, KafkaOptions } from './kafka-options.ts';

// What kafkajs calls an error of a connection is thrown to the caller, which decides; as a log line it is a remark.
const LEVELS = { ERROR: 'warn', WARN: 'warn', INFO: 'info', DEBUG: 'debug' } as const;

/** kafkajs' logger, writing to `options.log` and never to the console. */
export function kafkajsLogger({ log }: Pick<KafkaOptions, 'log'>): Logger {
  return loggers.createLogger({
    level: log === undefined ? loggers.LEVELS.NOTHING : loggers.LEVELS.INFO,
    logCreator: () => (record) => log?.(entryOf(record)),
  });
}

function entryOf({ namespace, label, log }: LogRecord): KafkaLogEntry {
  const { message, ...facts } = log;
  return { level: LEVELS[label], message, facts: { ...facts, namespace } };
}
