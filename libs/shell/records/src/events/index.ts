export { openEventEncoder } from './event-encoder.ts';
export { EVENT_SCHEMA, EventFormats, openEventDecoder } from './event-formats.ts';
export { EVENT_SHAPE } from './event-shape.ts';
export type { EventEncoder, OutgoingEvent } from './event-shape.ts';
