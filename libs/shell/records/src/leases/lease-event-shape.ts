import { isUtf8 } from 'node:buffer';
import type { LeaseEvent } from '@flatline/ports/formats';
import { checkSafeInteger, type RecordShape } from '../record-shape.ts';
import { asBuffer } from '../text-reader.ts';

/** An event as a reader gets it: types and reasons of a newer processor, not known here yet, are kept. */
export type ReceivedLeaseEvent = {
  -readonly [Name in Exclude<keyof LeaseEvent, 'key' | 'type' | 'reason' | 'attributes'>]: LeaseEvent[Name];
} & {
  leaseId: string;
  type: string;
  reason: string | undefined;
  attributes: ReadonlyMap<string, string>;
};

type LongName = {
  [Name in keyof ReceivedLeaseEvent]-?: ReceivedLeaseEvent[Name] extends number | undefined ? Name : never;
}[keyof ReceivedLeaseEvent];

/** Returns the values of fields left out: the defaults of `schemas/lease-event.avsc`. */
export function blankLeaseEvent(): ReceivedLeaseEvent {
  return {
    leaseId: '',
    type: '',
    token: undefined,
    requestId: undefined,
    reason: undefined,
    holder: undefined,
    retryAt: undefined,
    timeoutMs: undefined,
    grantedAt: undefined,
    deadlineAt: undefined,
    at: 0,
    renewals: undefined,
    attributes: new Map(),
    partition: 0,
    offset: undefined,
    heldMs: undefined,
    endsAt: undefined,
    byOperator: undefined,
  };
}

type LeaseEventShape = RecordShape<LeaseEvent, ReceivedLeaseEvent>;

/** `get` is written out for each: reading a field by a name that varies takes ten times as long. */
function long(
  name: LongName,
  required: boolean,
  get: (event: LeaseEvent) => number | undefined,
): LeaseEventShape[number] {
  const set = (target: ReceivedLeaseEvent, value: number): void => {
    target[name] = checkSafeInteger(name, value, Number.MIN_SAFE_INTEGER);
  };
  return { name, kind: 'long', nullable: !required, required, get, set };
}

/** The fields of `schemas/lease-event.avsc`, in its order. */
export const LEASE_EVENT_SHAPE: LeaseEventShape = [
  {
    name: 'leaseId',
    kind: 'text',
    nullable: false,
    required: true,
    get: (event) => asBuffer(event.key).toString('utf8'),
    bytes: (event) => event.key,
    set: (target, value) => {
      target.leaseId = value;
    },
  },
  {
    name: 'type',
    kind: 'text',
    nullable: false,
    required: true,
    get: (event) => event.type,
    set: (target, value) => {
      target.type = value;
    },
  },
  long('token', false, (event) => event.token),
  {
    name: 'requestId',
    kind: 'text',
    nullable: true,
    required: false,
    get: (event) => event.requestId,
    set: (target, value) => {
      target.requestId = value;
    },
  },
  {
    name: 'reason',
    kind: 'text',
    nullable: true,
    required: false,
    get: (event) => event.reason,
    set: (target, value) => {
      target.reason = value;
    },
  },
  {
    name: 'holder',
    kind: 'textMap',
    nullable: true,
    required: false,
    get: (event) => event.holder,
    set: (target, value) => {
      target.holder = value;
    },
  },
  long('retryAt', false, (event) => event.retryAt),
  long('timeoutMs', false, (event) => event.timeoutMs),
  long('grantedAt', false, (event) => event.grantedAt),
  long('deadlineAt', false, (event) => event.deadlineAt),
  long('at', true, (event) => event.at),
  long('renewals', false, (event) => event.renewals),
  {
    name: 'attributes',
    kind: 'textMap',
    nullable: false,
    required: false,
    get: (event) => event.attributes,
    set: (target, value) => {
      target.attributes = value;
    },
  },
  long('partition', true, (event) => event.partition),
  long('offset', false, (event) => event.offset),
  long('heldMs', false, (event) => event.heldMs),
  long('endsAt', false, (event) => event.endsAt),
  {
    name: 'leaseKeyBase64',
    kind: 'text',
    nullable: true,
    required: false,
    get: (event) => (isUtf8(event.key) ? undefined : asBuffer(event.key).toString('base64')),
    set: () => {
      // Readers have the record's key.
    },
  },
];

/** With what only JSON has, and only where it is true: in Avro a header says it. */
export const LEASE_EVENT_IN_JSON: LeaseEventShape = [
  ...LEASE_EVENT_SHAPE,
  {
    name: 'byOperator',
    kind: 'boolean',
    nullable: true,
    required: false,
    get: (event) => event.byOperator,
    set: (target, value) => {
      target.byOperator = value;
    },
  },
];
