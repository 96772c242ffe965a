import { type LeaseRequest, REQUEST_ID_LENGTH_MAX } from '@flatline/ports/formats';
import { EVENT_SHAPE } from '../events/event-shape.ts';
import { checkLength, checkSafeInteger, type RecordShape } from '../record-shape.ts';

/** The fields of `schemas/lease-request.avsc`, in its order: an event's but for its source, then the lease's. */
export const REQUEST_SHAPE: RecordShape<Readonly<LeaseRequest>, LeaseRequest> = [
  ...EVENT_SHAPE.filter(({ name }) => name !== 'source'),
  {
    name: 'token',
    kind: 'long',
    nullable: true,
    required: false,
    get: (request) => request.token,
    set: (request, value) => {
      request.token = checkSafeInteger('token', value, 0);
    },
  },
  {
    name: 'requestId',
    kind: 'text',
    nullable: true,
    required: false,
    get: (request) => request.requestId,
    set: (request, value) => {
      request.requestId = checkLength('requestId', value, REQUEST_ID_LENGTH_MAX);
    },
  },
  {
    name: 'waitMs',
    kind: 'long',
    nullable: true,
    required: false,
    get: (request) => request.waitMs,
    set: (request, value) => {
      request.waitMs = checkSafeInteger('waitMs', value, 0);
    },
  },
];
