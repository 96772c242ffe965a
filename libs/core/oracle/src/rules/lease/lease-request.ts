// Reads the request for a lease in a record (docs/FORMATS.md), as plainly as that page has it: value first, then headers.
import { utf8In } from '../../logs/byte-names.ts';
import type { InputRecord } from '../../logs/history.ts';
import { eventOf, jsonObject } from '../../logs/json-event.ts';
import { type AttributesInForce, eventIn } from '../attributes-in.ts';

export interface Asked {
  readonly does: 'start' | 'renew' | 'end';
  readonly timeoutMs: number | undefined;
  readonly waitMs: number | undefined;
  readonly token: number | undefined;
  readonly requestId: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

/** `bad`: the record belongs in the dead letters (I1). */
export function askedBy(record: InputRecord, rules: AttributesInForce = {}): Asked | 'bad' {
  const { value, headers = [], fields: known } = record;
  const fields = value === null || value.length === 0 ? {} : (known ?? jsonObject(value) ?? 'bad');
  const said = fields === 'bad' ? 'bad' : eventOf({ ...fields, source: undefined });
  if (fields === 'bad' || said === 'bad') return 'bad';
  const event = eventIn(said, rules, record);
  const header = (name: string): string | undefined => {
    const texts = new Set(
      headers.filter((each) => each.name === name).map((each) => (each.value && utf8In(each.value)) ?? ''),
    );
    return texts.size > 1 ? '' : [...texts][0];
  };
  const [inHeader, idInHeader] = [header('flatline-token'), header('flatline-request-id')];
  const token = either(fields['token'] ?? undefined, inHeader === undefined ? undefined : digits(inHeader));
  const requestId = either(fields['requestId'] ?? undefined, idInHeader);
  const waitMs = fields['waitMs'] ?? undefined;
  if (!isCount(token) || !isId(requestId) || !isCount(waitMs)) return 'bad';
  const type = value === null ? 'ENDED' : event.type;
  return {
    does: type === 'STARTED' ? 'start' : type === 'ENDED' ? 'end' : 'renew',
    timeoutMs: event.timeoutMs,
    waitMs,
    token,
    requestId,
    attributes: Object.fromEntries(event.attributes ?? []),
  };
}

/** Returns the one that is set, or the value common to both; `both` if they differ. */
function either(inValue: unknown, inHeader: unknown): unknown {
  return inValue === undefined || inHeader === undefined || inValue === inHeader ? (inValue ?? inHeader) : 'both';
}

function digits(text: string): unknown {
  return String(Number(text)) === text ? Number(text) : text;
}

function isCount(value: unknown): value is number | undefined {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0);
}

function isId(value: unknown): value is string | undefined {
  return (
    value === undefined ||
    (typeof value === 'string' && value.isWellFormed() && value.length >= 1 && value.length <= 256)
  );
}
