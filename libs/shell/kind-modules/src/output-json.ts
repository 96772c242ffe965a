// An output as JSON, as webhooks deliver it.
import type { RecordHeader } from '@flatline/ports';

/** A record of the output that says something: no tombstone, and no receipt. */
export interface SaidRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly headers: readonly RecordHeader[];
}

export interface OutputJson {
  /** Fields by which it is called (`said`). */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A text: why it cannot be read. */
export type ReadAsJson = (record: SaidRecord) => OutputJson | string;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** For kinds that write their outputs themselves, as JSON objects. */
export const valueAsJson: ReadAsJson = ({ value: bytes }) => {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    return 'its value is no JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'its value is no JSON object';
  return { fields: value as OutputJson['fields'], text };
};

/** As text where they are UTF-8, else in base64. */
export function textOf(bytes: Uint8Array): string | { readonly base64: string } {
  try {
    return utf8.decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}
