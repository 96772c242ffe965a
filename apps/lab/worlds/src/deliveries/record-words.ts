// Records of deliveries as their judges read them.
import type { DurationMs } from '@flatline/base';
import type { LogRecord } from '@flatline/cluster';

/** An instant of a record, and that of who wrote it. */
export const SLACK_MS: DurationMs = 20;

export function text(bytes: Uint8Array | null): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}

export function headerOf({ headers }: LogRecord, name: string): string | undefined {
  const found = headers.findLast((each) => each.name === name);
  return found === undefined ? undefined : text(found.value);
}
