import type { DurationMs, Millis } from '@flatline/base';

/** Seconds, or a date (RFC 9110, 10.2.3); undefined: it says neither. */
export function retryAfterMs(header: string | undefined, now: Millis): DurationMs | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const at = /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
