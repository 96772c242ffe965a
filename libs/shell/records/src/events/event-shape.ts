import type { Attributes } from '../attributes.ts';
import { type SessionEvent, SOURCE_BYTES_MAX } from '@flatline/ports/formats';
import { EVENT_ID_LENGTH_MAX, TYPE_LENGTH_MAX } from '../limits.ts';
import { invalidField } from '../bad-input.ts';
import { checkInstant, checkLength, checkSafeInteger, type RecordShape } from '../record-shape.ts';

/** An event as a producer gives it; a field left out takes its default (`schemas/session-event.avsc`). */
export type OutgoingEvent = {
  readonly [Name in keyof SessionEvent]?: (Name extends 'attributes' ? Attributes : SessionEvent[Name]) | undefined;
};

/** Encodes a producer's events. */
export interface EventEncoder {
  /** The value of a record. @throws BadInput for an event that a decoder would refuse. */
  encode(event: OutgoingEvent): Uint8Array;
}

/** The fields of `schemas/session-event.avsc`, in its order. */
export const EVENT_SHAPE: RecordShape<Readonly<SessionEvent>, SessionEvent> = [
  {
    name: 'type',
    kind: 'text',
    recurs: true,
    nullable: false,
    required: false,
    get: (event) => event.type,
    set: (event, value) => {
      event.type = checkLength('type', value, TYPE_LENGTH_MAX);
    },
  },
  {
    name: 'occurredAt',
    kind: 'long',
    nullable: true,
    required: false,
    get: (event) => event.occurredAt,
    set: (event, value) => {
      event.occurredAt = checkInstant('occurredAt', value);
    },
  },
  {
    name: 'eventId',
    kind: 'text',
    nullable: true,
    required: false,
    get: (event) => event.eventId,
    set: (event, value) => {
      event.eventId = checkLength('eventId', value, EVENT_ID_LENGTH_MAX);
    },
  },
  {
    name: 'sequence',
    kind: 'long',
    nullable: true,
    required: false,
    get: (event) => event.sequence,
    set: (event, value) => {
      event.sequence = checkSafeInteger('sequence', value, 0);
    },
  },
  {
    name: 'timeoutMs',
    kind: 'long',
    nullable: true,
    required: false,
    get: (event) => event.timeoutMs,
    set: (event, value) => {
      event.timeoutMs = checkSafeInteger('timeoutMs', value, 1);
    },
  },
  {
    name: 'attributes',
    kind: 'textMap',
    nullable: false,
    required: false,
    get: (event) => event.attributes,
    set: (event, value) => {
      // None has one form, so that formats agree and a bare session carries no map.
      event.attributes = value.size === 0 ? undefined : value;
    },
  },
  {
    name: 'source',
    kind: 'text',
    recurs: true,
    nullable: true,
    required: false,
    // It has a meaning beside a sequence alone, and was ignored before it had one.
    isOurs: ({ source, sequence }) =>
      typeof source === 'string' && ((sequence ?? undefined) !== undefined || isSource(source)),
    get: (event) => event.source,
    set: (event, value) => {
      if (!isSource(value)) throw invalidField('source', value, SOURCE_WANTED);
      event.source = value;
    },
  },
];

const SOURCE_WANTED = `1 to ${SOURCE_BYTES_MAX} bytes in UTF-8, the name of a sender: shorten it, or call the field otherwise`;

export function isSource(text: string): boolean {
  if (text.length < 1 || text.length > SOURCE_BYTES_MAX) return false;
  return text.isWellFormed() && Buffer.byteLength(text) <= SOURCE_BYTES_MAX;
}
