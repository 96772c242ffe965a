// A run as routes see it (docs/ROUTES.md): its headers, and the message.
import { base64Of, textOf, utf8In } from '../../logs/byte-names.ts';
import type { OutputRecord, RawHeader } from '../../logs/history.ts';
import { headerText } from '../headers.ts';
import type { SaidOutput } from '../reading.ts';

/** undefined: it is a receipt. */
export function runSaid({ key, value, headers = [] }: OutputRecord): SaidOutput | undefined {
  if (headerText(headers, 'flatline-receipt') !== undefined) return undefined;
  return { names: ['DUE', 'schedule.due'], fields: runIn(key!, value!, headers) };
}

function runIn(key: Uint8Array, value: Uint8Array, headers: readonly RawHeader[]): SaidOutput['fields'] {
  const own = (name: string): string | undefined => headerText(headers, `flatline-${name}`);
  const others = headers.filter(({ name }) => !name.startsWith('flatline-'));
  return {
    key: textOf(key),
    schedule: own('schedule'),
    scheduleId: own('schedule-id'),
    run: Number(own('run')),
    last: own('last') === 'true',
    dueAt: Number(own('due-at')),
    missed: Number(own('missed') ?? '0'),
    tz: own('tz'),
    headers: Object.fromEntries(others.map((each) => [each.name, each.value === null ? '' : textOf(each.value)])),
    value: messageIn(value),
  };
}

/** The same as it is sent to a webhook (docs/FORMATS.md, Webhooks). */
export function runSent({ key, value, headers = [] }: OutputRecord): object {
  const { schedule, scheduleId, run, last, dueAt, missed, tz } = runIn(key!, value!, headers);
  const others = headers.filter(({ name }) => !name.startsWith('flatline-'));
  return {
    schedule,
    scheduleId,
    run,
    last,
    dueAt,
    missed,
    tz,
    key: asText(key!),
    headers: others.map((each) => [each.name, each.value && asText(each.value)]),
    ...messageSent(value!),
  };
}

/** A name for each form of a message. */
function messageSent(bytes: Uint8Array): object {
  const text = utf8In(bytes);
  if (text === undefined) return { valueBase64: base64Of(bytes) };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { valueText: text };
  }
}

function asText(bytes: Uint8Array): unknown {
  return utf8In(bytes) ?? { base64: base64Of(bytes) };
}

function messageIn(bytes: Uint8Array): unknown {
  const text = utf8In(bytes);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // a message need not be JSON
  }
}
