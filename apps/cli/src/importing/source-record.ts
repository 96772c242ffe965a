import type { Millis } from '@flatline/base';

/** Record of one line of a file: key and timestamp, and the fields an event value can be made of. */
export interface SourceRecord {
  readonly key: string;
  readonly timestamp: Millis;
  /** In the order of the file; a Map, so that `__proto__` is a name like any other (I3). */
  readonly fields: ReadonlyMap<string, unknown>;
}

export type ParsedLine =
  { readonly kind: 'record'; readonly record: SourceRecord } | { readonly kind: 'bad'; readonly reason: string };

export function badLine(reason: string): ParsedLine & { kind: 'bad' } {
  return { kind: 'bad', reason };
}

export type LineParser = (line: string) => ParsedLine;
