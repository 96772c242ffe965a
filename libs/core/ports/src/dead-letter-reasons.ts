// Why a record is a dead letter (I1): each code that `flatline-reason` may be, and what it says. One list, from which the compiler
// takes what a kind, a reader of schedules and a decoder may say, docs/FORMATS.md its table, and the command what it knows.
//
// Codes are contracts: producers' alerts and `dead-letters list --reason` go by them.
import type { COMMAND_HEADER } from './acts.ts';
import type { LeaseRequest } from './lease-request.ts';
import type { ASKING_HEADERS } from './schedule-headers.ts';

/** `occurredAt` → `occurred-at` */
type Dashed<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Dashed<Rest>}`
  : '';

/** A field of an event or a request is there, and of another type or beyond its limit. */
type FieldReason = `invalid-${Dashed<keyof LeaseRequest>}`;

type OfHeader<Header extends string> = Header extends `flatline-${infer Name}` ? `invalid-${Name}` : never;
/** A header that says what to schedule, or what becomes of a window, says no such thing. */
type HeaderReason = OfHeader<(typeof ASKING_HEADERS)[number] | typeof COMMAND_HEADER>;

/** Bytes that should be a value are none. */
export type ValueReason =
  | 'unknown-format'
  | 'invalid-utf8'
  | 'invalid-json'
  | 'invalid-avro'
  | 'trailing-bytes'
  | 'no-schema-registry'
  | 'unknown-schema-id'
  | 'incompatible-schema'
  | 'missing-field';

const OF_VALUES: Readonly<Record<ValueReason, string>> = {
  'unknown-format': 'the value begins like none of the formats that `input.format` allows',
  'invalid-utf8': 'a text is not UTF-8, or holds half of a surrogate pair',
  'invalid-json': 'the value is not JSON, or no object',
  'invalid-avro': 'the value is not what its schema says',
  'trailing-bytes': 'bytes follow the end of a value in Avro',
  'no-schema-registry': 'the value is in Avro, and no registry is set',
  'unknown-schema-id': 'the registry does not know the schema',
  'incompatible-schema': 'the schema of the writer cannot be read as ours',
  'missing-field': 'a field is left out that is needed',
};

/** A record asks of schedules what cannot be, whatever its key already has. */
export type AskingReason =
  | 'no-schedule'
  | 'conflicting-schedule'
  | 'repeated-header'
  | 'unknown-target'
  | 'never-due'
  | 'beyond-horizon'
  | 'message-too-large';

const OF_ASKING: Readonly<Record<AskingReason, string>> = {
  'no-schedule': 'no header says when',
  'conflicting-schedule': 'headers that exclude each other',
  'repeated-header': 'a header comes more than once',
  'unknown-target': '`flatline-target` is none of `targets`',
  'never-due': 'no run is to come',
  'beyond-horizon': 'it would be due later than `maxHorizonMs` allows',
  'message-too-large': 'value and foreign headers are larger than `maxMessageBytes`',
};

const OTHERS = {
  'batch-too-large': 'a whole batch: it is larger than Flatline unpacks',
  'batch-unreadable': 'a whole batch: its bytes are no records',
  'null-key': 'it has no key, and is no clock record (I2)',
  'key-too-long': 'the key is longer than `maxKeyBytes`',
  'bad-timestamp': 'it is stamped before 1970, or too far ahead of the present (C6)',
  'state-full': 'there is no room for what it would add (I7)',
  'processing-failed': 'a defect of the processor, or of its decoder (I6)',
  late: 'it is stamped so far behind the clock that its session, with `graceMs`, is closed (C7)',
  'too-many-sessions': 'its key has as many open sessions as it may have (C7)',
  ...OF_VALUES,
  'no-token': 'a start at an offset from 2⁴⁰ − 1 on, which has no token (L3)',
  ...OF_ASKING,
  'too-many-schedules': 'its key has `maxSchedulesPerKey`, or they would be too large together (D1)',
  'item-too-large': 'an item that no batch holds, or beyond `maxBytes` (B2)',
  'dedupe-value-too-long': 'what `dedupeBy` finds in an item has more than 256 bytes (B2)',
  'invalid-wait': '`flatline-wait-ms` or `flatline-max-wait-ms` of an item is no number from 1 on, or comes twice',
  'reducer-failed': 'the reducer threw at it, or did not return what it declares (S10, B3)',
  'reduced-too-large': 'the reducer came to more than `maxStateBytes`, or than a record holds (S10, B3)',
  unroutable: 'an output, of which a route cannot make its record: `flatline-topic` is the output (P3)',
  'unknown-key': 'no session of its key lives, and its input takes data for those alone (S8)',
} as const;

export type DeadLetterReason = keyof typeof OTHERS | FieldReason | HeaderReason;

const OF_FIELDS: Readonly<Record<FieldReason, string>> = {
  'invalid-type': 'the field `type`',
  'invalid-occurred-at': 'the field `occurredAt`',
  'invalid-event-id': 'the field `eventId`',
  'invalid-sequence': 'the field `sequence`',
  'invalid-timeout-ms': 'the field `timeoutMs`',
  'invalid-attributes': 'the field `attributes`, or of a lease more than `maxAttributes` or `maxAttributeBytes` allow',
  'invalid-source': 'the field `source`, or the header `flatline-source`, or they differ',
  'invalid-token': 'the field `token`, or the header `flatline-token`, or they differ',
  'invalid-request-id': 'the field `requestId`, or the header `flatline-request-id`, or they differ',
  'invalid-wait-ms': 'the field `waitMs`',
};

const OF_HEADERS: Readonly<Record<HeaderReason, string>> = {
  'invalid-due-at': 'the header `flatline-due-at`, or it lies more than a year before its record',
  'invalid-delay-ms': 'the header `flatline-delay-ms`',
  'invalid-every-ms': 'the header `flatline-every-ms`, or it is shorter than `minEveryMs`',
  'invalid-cron': 'the header `flatline-cron`',
  'invalid-time-zone': 'the header `flatline-time-zone`, or this Node has no such zone',
  'invalid-start-at': 'the header `flatline-start-at`',
  'invalid-end-at': 'the header `flatline-end-at`',
  'invalid-max-runs': 'the header `flatline-max-runs`',
  'invalid-expires-ms': 'the header `flatline-expires-ms`',
  'invalid-schedule-id': 'the header `flatline-schedule-id`',
  'invalid-upsert': 'the header `flatline-upsert`',
  'invalid-target': 'the header `flatline-target`',
  'invalid-jitter-ms': 'the header `flatline-jitter-ms`',
  'invalid-command': 'the header `flatline-command`, of an act (Q4) or an item',
};

/** With what each says, in words. */
export const DEAD_LETTER_REASONS: Readonly<Record<DeadLetterReason, string>> = {
  ...OTHERS,
  ...OF_FIELDS,
  ...OF_HEADERS,
};

/** Letters of another version may have others. */
export function isDeadLetterReason(code: string): code is DeadLetterReason {
  return Object.hasOwn(DEAD_LETTER_REASONS, code);
}

/** `flatline-due-at` gives `invalid-due-at`. */
export function invalidHeader<Name extends string>(header: `flatline-${Name}`): `invalid-${Name}` {
  return `invalid-${header.slice('flatline-'.length) as Name}`;
}
