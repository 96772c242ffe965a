import { isUtf8 } from 'node:buffer';
import type { LeaseEvent } from '@flatline/ports/formats';
import type { RecordShape } from '../record-shape.ts';
import { asBuffer } from '../text-reader.ts';

/** A lease event is written here, and read elsewhere. */
type LeaseEventShape = RecordShape<LeaseEvent, never>;

/** `get` is written out for each: reading a field by a name that varies takes ten times as long. */
function long(
  name: string,
  required: boolean,
  get: (event: LeaseEvent) => number | undefined,
): LeaseEventShape[number] {
  return { name, kind: 'long', nullable: !required, required, get, set: unread };
}

function unread(): never {
  throw new Error('lease events are only written');
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
    set: unread,
  },
  { name: 'type', kind: 'text', nullable: false, required: true, get: (event) => event.type, set: unread },
  long('token', false, (event) => event.token),
  { name: 'requestId', kind: 'text', nullable: true, required: false, get: (event) => event.requestId, set: unread },
  { name: 'reason', kind: 'text', nullable: true, required: false, get: (event) => event.reason, set: unread },
  { name: 'holder', kind: 'textMap', nullable: true, required: false, get: (event) => event.holder, set: unread },
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
    set: unread,
  },
  long('partition', true, (event) => event.partition),
  long('offset', false, (event) => event.offset),
  long('heldMs', false, (event) => event.heldMs),
  {
    name: 'leaseKeyBase64',
    kind: 'text',
    nullable: true,
    required: false,
    get: (event) => (isUtf8(event.key) ? undefined : asBuffer(event.key).toString('base64')),
    set: unread,
  },
];
