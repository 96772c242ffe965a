// An output as routes see it: the names that `on` asks for, and the fields that pointers lead to.
import type { KindName } from '@flatline/base';
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

export type Fields = Readonly<Record<string, unknown>>;

export interface SaidOutput {
  readonly names: readonly string[];
  readonly fields: Fields;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** undefined: it says nothing that could be routed: a tombstone, or a receipt of schedules. */
export function saidBy(kind: KindName, output: KindOutput): SaidOutput | undefined {
  const { value, headers = [] } = output;
  if (value === null || output.topic !== undefined) return undefined;
  if (kind === 'schedule') {
    const isReceipt = headers.some(({ name }) => name === RECEIPT_HEADER);
    return isReceipt ? undefined : { names: ['DUE', 'schedule.due'], fields: runFields(output) };
  }
  // The pipeline's own encoder wrote it.
  const fields = JSON.parse(lenient.decode(value)) as Fields;
  return { names: namesOf(kind, fields), fields };
}

function namesOf(kind: Exclude<KindName, 'schedule'>, { state, reason, type }: Fields): readonly string[] {
  switch (kind) {
    case 'session':
      return texts(reason, state, typed('session', state));
    case 'lease':
      return texts(type, reason, typed('lease', type));
    case 'debounce':
      return texts(reason, 'batch.fired');
  }
}

function typed(kind: KindName, word: unknown): string | undefined {
  return typeof word === 'string' ? `${kind}.${word.toLowerCase()}` : undefined;
}

function texts(...values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === 'string' && value !== '') as string[];
}

/** What a run says is in its headers; its message is parsed where a pointer leads into it. */
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
