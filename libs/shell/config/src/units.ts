// Units of settings that are numbers, for the page of settings and for editors.

const COUNTED: Readonly<Record<string, string>> = {
  schemaRegistryRetries: 'retries',
  maxPerSecond: 'per second',
  maxSockets: 'sockets',
  maxWaiters: 'starts',
  maxCatchUp: 'runs',
  maxSchedulesPerKey: 'schedules',
  maxDuePerSecond: 'keys per second',
  maxItems: 'items',
  standbys: 'copies',
  dedupeEventIds: 'ids',
  maxSources: 'sources',
  maxAttributes: 'attributes',
  maxAttributeBytes: 'code units',
  changelogFactor: 'times',
};

/** Undefined for a number that counts nothing: a port, a version. */
export function unitOf(setting: string): string | undefined {
  if (setting in COUNTED) return COUNTED[setting];
  if (setting.endsWith('Ms')) return 'ms';
  return setting.endsWith('Bytes') ? 'bytes' : undefined;
}
