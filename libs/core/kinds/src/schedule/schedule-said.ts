// How runs are called: what one says is in its headers, and its value is the message.
import {
  DUE_AT_HEADER,
  LAST_HEADER,
  MISSED_HEADER,
  OWN_HEADERS,
  RECEIPT_HEADER,
  RUN_HEADER,
  SCHEDULE_HEADER,
  SCHEDULE_ID_HEADER,
  TZ_HEADER,
} from '@flatline/ports/formats';
import type { KindOutput } from '../contract.ts';
import type { Fields, SaidWords } from '../said-words.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

export const scheduleSaid: SaidWords = {
  all: ['DUE', 'schedule.due'],
  nameOf: () => ({ type: 'schedule.due', names: ['DUE'] }),
  idOf: ({ schedule, run }) => [String(schedule), Number(run)],
  fieldsOf: (output) =>
    output.headers?.some(({ name }) => name === RECEIPT_HEADER) === true ? undefined : runFields(output),
};

/** A run's fields are in its headers; its message is parsed where a pointer leads into it. */
function runFields({ key, value, headers = [] }: KindOutput): Fields {
  const own = new Map(headers.map(({ name, value: of }) => [name, of === null ? '' : lenient.decode(of)]));
  const foreign = [...own].filter(([name]) => !name.startsWith(OWN_HEADERS));
  let message: { readonly parsed: unknown } | undefined;
  return {
    key: lenient.decode(key ?? undefined),
    schedule: own.get(SCHEDULE_HEADER),
    scheduleId: own.get(SCHEDULE_ID_HEADER),
    run: Number(own.get(RUN_HEADER)),
    last: own.get(LAST_HEADER) === 'true',
    dueAt: Number(own.get(DUE_AT_HEADER)),
    missed: Number(own.get(MISSED_HEADER) ?? 0),
    tz: own.get(TZ_HEADER),
    headers: Object.fromEntries(foreign),
    get value() {
      message ??= { parsed: messageIn(value!) };
      return message.parsed;
    },
  };
}

/** As JSON where it is some, else as text; undefined: it is neither. */
function messageIn(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = strict.decode(bytes);
  } catch {
    return undefined;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
