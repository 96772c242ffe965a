// An output whose fields are the members of its value, as routes see it (docs/ROUTES.md).
import type { OutputRecord } from '../logs/history.ts';
import type { SaidOutput } from './reading.ts';

/** `names`: all that it may be asked for by; `text` reads a field, and is empty where that is no text. */
export function saidOutput(
  { summary }: OutputRecord,
  names: (text: (field: string) => string) => readonly string[],
): SaidOutput | undefined {
  if (summary === undefined) return undefined;
  const text = (field: string): string => (typeof summary[field] === 'string' ? summary[field] : '');
  return { names: names(text).filter((name) => name !== ''), fields: summary };
}
