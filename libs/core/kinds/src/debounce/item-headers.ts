// Reads what the headers of a record ask of its window (B1, B3).
import type { DurationMs } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import { CANCEL, COMMAND_HEADER, FLUSH, MAX_WAIT_HEADER, WAIT_DIGITS_MAX, WAIT_HEADER } from '@flatline/ports/formats';
import { type Bad, bad } from '../refusals.ts';

export interface Asked {
  readonly flush: boolean;
  /** Says in words what a record without a value asks. */
  readonly cancel: boolean;
  readonly waitMs: DurationMs | undefined;
  readonly maxWaitMs: DurationMs | undefined;
}

const NOTHING: Asked = { flush: false, cancel: false, waitMs: undefined, maxWaitMs: undefined };
/** Decimal, without leading zeros, up to what is safe. */
const WAIT = new RegExp(`^[1-9]\\d{0,${WAIT_DIGITS_MAX - 1}}$`);
const utf8 = new TextDecoder();

/** A header that comes twice must say the same. */
export function askedIn(headers: readonly RecordHeader[]): Asked | Bad {
  if (headers.length === 0) return NOTHING;
  const asked: { -readonly [Name in keyof Asked]: Asked[Name] } = { ...NOTHING };
  for (const { name, value } of headers) {
    if (name === COMMAND_HEADER) {
      const command = textOf(value);
      asked.flush ||= command === FLUSH;
      asked.cancel ||= command === CANCEL;
      if (asked.flush === asked.cancel || (command !== FLUSH && command !== CANCEL))
        return bad(
          'invalid-command',
          `the header ${COMMAND_HEADER} is neither ${FLUSH} nor ${CANCEL}, or comes as both`,
        );
    } else if (name === WAIT_HEADER || name === MAX_WAIT_HEADER) {
      const field = name === WAIT_HEADER ? 'waitMs' : 'maxWaitMs';
      const text = textOf(value);
      const ms = WAIT.test(text) ? Number(text) : undefined;
      if (ms === undefined || (asked[field] ?? ms) !== ms)
        return bad(
          'invalid-wait',
          `the header ${name} is no number of milliseconds from 1 on in at most ${WAIT_DIGITS_MAX} decimal digits, or comes twice`,
        );
      asked[field] = ms;
    }
  }
  return asked;
}

function textOf(value: Uint8Array | null): string {
  return value === null || value.length > 32 ? '' : utf8.decode(value);
}
