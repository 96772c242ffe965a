import { blankEvent, type EventDecoder } from '@flatline/ports/formats';

const OPENING_BRACE = 0x7b;
/** Filled and thrown away. */
const target = blankEvent();

/** The record's value, or what is wrong with it: whatever `decoder`, which reads as the pipeline does, would not take. */
export function eventOf(body: Uint8Array, decoder: EventDecoder): Uint8Array | string {
  if (body.length === 0) return body;
  if (body[0] !== OPENING_BRACE)
    return 'the body is neither empty (a heartbeat) nor a JSON object (an event), which begins with {';
  const outcome = decoder.decode(body, 0, body.length, target);
  if (outcome.kind === 'event') return body;
  return outcome.kind === 'bad' ? `${outcome.reason}: ${outcome.detail}` : 'the event is not JSON';
}
