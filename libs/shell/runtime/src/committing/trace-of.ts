// The trace that a producer's record belongs to, for whoever looks for it in the log. Asked only of records that are refused.
import type { RecordHeader } from '@flatline/ports';

/** version-trace-parent-flags, in lower case (W3C Trace Context, level 1); what else stands there is not repeated. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const BYTES = 55;

/** 32 hexadecimal digits; undefined: it says of none. */
export function traceOf(headers: readonly RecordHeader[]): string | undefined {
  const value = headers.find(({ name }) => name === 'traceparent')?.value;
  if (value?.length !== BYTES) return undefined;
  return TRACEPARENT.exec(Buffer.from(value).toString('latin1'))?.[1];
}
