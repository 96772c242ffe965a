import { blankLeaseRequest, type LeaseRequest } from '@flatline/ports/formats';
import { type Attributes, membersOf } from '../attributes.ts';
import { JsonRecordWriter, readMembers } from '../json/json-record.ts';
import { REQUEST_SHAPE } from './request-shape.ts';

/** The request; fields left out take their defaults. */
export type OutgoingRequest = Partial<Omit<LeaseRequest, 'attributes'>> & {
  readonly attributes?: Attributes | undefined;
};

const writer = new JsonRecordWriter(REQUEST_SHAPE);

/** The value of a record, in JSON. @throws BadInput for a request that no processor would take. */
export function encodeRequest(request: OutgoingRequest): Uint8Array {
  const attributes = membersOf(request.attributes);
  const complete = blankLeaseRequest();
  // Through the very checks that a decoder applies.
  readMembers(REQUEST_SHAPE, { ...request, attributes }, complete);
  return writer.encode(complete);
}
