// Units of settings that are numbers, for the page of settings and for editors. A kind says those of its own settings itself.
import { unitByName } from '@flatline/kind-modules/form';

const COUNTED: Readonly<Record<string, string>> = {
  schemaRegistryRetries: 'retries',
  maxPerSecond: 'per second',
  maxInFlight: 'attempts',
  maxSockets: 'sockets',
  maxConnections: 'connections',
  standbys: 'copies',
  changelogFactor: 'times',
};

/** Undefined for a number that counts nothing: a port, a version. */
export function unitOf(setting: string): string | undefined {
  return COUNTED[setting] ?? unitByName(setting);
}
