export {
  LEASE_EVENT_SCHEMA,
  leaseEventBytes,
  leaseEventEncoder,
  openLeaseEventEncoder,
} from './lease-event-encoder.ts';
export { LeaseEventFormats, type ReadLeaseEvent } from './lease-event-formats.ts';
export type { ReceivedLeaseEvent } from './lease-event-shape.ts';
export { encodeRequest } from './request-encoder.ts';
export { openRequestDecoder, RequestFormats } from './request-formats.ts';
