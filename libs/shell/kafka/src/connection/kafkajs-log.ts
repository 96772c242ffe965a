import loggers, { type Logger, type LogRecord } from 'kafkajs/src/loggers/index.js';
import type { KafkaLogEntry, KafkaOptions } from './kafka-options.ts';

// Connection errors are also thrown to the caller, which decides; in the log they are only remarks.
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
