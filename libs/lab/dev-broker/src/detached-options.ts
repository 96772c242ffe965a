import { type BrokerOptions } from './running-broker.ts';

/** Port that a detached broker listens on if none is asked for. */
const DEFAULT_PORT = 9092;

/** The options for the keeper of a detached broker. A flag that was not given is a member that is `undefined`. */
export function detachedOptions(options: BrokerOptions, dataDir: string): BrokerOptions {
  return { ...options, port: options.port ?? DEFAULT_PORT, dataDir };
}
