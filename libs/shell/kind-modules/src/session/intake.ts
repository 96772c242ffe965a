import { blankEvent, type EventDecoder } from '@flatline/ports/formats';
import { EventFormats } from '@flatline/records/events';
import type { Intake, KindIntake } from '../intake.ts';
import type { SessionPipeline } from './settings.ts';

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const utf8 = new TextEncoder();
const text = new TextDecoder();

/** Events sent over HTTP are JSON, which needs no registry. */
export const sessionIntake: KindIntake<SessionPipeline> = {
  beats: true,
  open: ({ input: { format } }, clock) => eventIntake(new EventFormats({ format, registry: undefined, clock })),
};

/** `decoder` reads as the pipeline does. */
function eventIntake(decoder: EventDecoder): Intake {
  const target = blankEvent();
  return {
    headers: undefined,
    recordOf: ({ value, idempotencyKey }) => {
      if (value === null || value.length === 0) return { value, headers: [] };
      if (value[0] !== OPENING_BRACE)
        return 'the body is neither empty (a heartbeat) nor a JSON object (an event), which begins with {';
      const why = refusalOf(value);
      if (why !== undefined || idempotencyKey === undefined) return why ?? { value, headers: [] };
      const event = withEventId(value, idempotencyKey);
      // Exactly the written record is what the pipeline reads.
      return refusalOf(event) ?? { value: event, headers: [] };
    },
  };

  function refusalOf(event: Uint8Array): string | undefined {
    const outcome = decoder.decode(event, 0, event.length, target);
    if (outcome.kind === 'bad') return `${outcome.reason}: ${outcome.detail}`;
    return outcome.kind === 'event' ? undefined : 'the event is not JSON';
  }
}

/** The event with that id, by which its session counts it once (S5), unless it has one of its own. */
function withEventId(event: Uint8Array, id: string): Uint8Array {
  // A second member of that name would be read by some as the first, by others as the last.
  if (Object.hasOwn(JSON.parse(text.decode(event)) as object, 'eventId')) return event;
  const isEmpty = event.subarray(1).find((byte) => !BLANKS.has(byte)) === CLOSING_BRACE;
  const head = utf8.encode(`{"eventId":${JSON.stringify(id)}${isEmpty ? '' : ','}`);
  const whole = new Uint8Array(head.length + event.length - 1);
  whole.set(head);
  whole.set(event.subarray(1), head.length);
  return whole;
}
