export type { EventEncoder } from './event-encoder.ts';
export { openEventEncoder } from './event-encoder.ts';
export { EVENT_SCHEMA, EventFormats, openEventDecoder } from './event-formats.ts';
export { EVENT_SHAPE } from './event-shape.ts';
export type { OutgoingEvent } from './event-shape.ts';
