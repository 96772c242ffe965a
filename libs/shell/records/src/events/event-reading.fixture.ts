// The outcome of reading an event in a form that can be compared: two ways of reading must have the same.
import { blankEvent, type SessionEvent } from '@flatline/ports/formats';
import { BadInput } from '../bad-input.ts';

/** The event, with the order of its attributes, or the reason why it is none. */
export type EventReading = readonly [Omit<SessionEvent, 'attributes'>, readonly (readonly [string, string])[]] | string;

/** Undefined where `read` says that it cannot tell. */
export function readingOf(read: (target: SessionEvent) => boolean): EventReading | undefined {
  const target = blankEvent();
  try {
    if (!read(target)) return undefined;
  } catch (error) {
    if (error instanceof BadInput) return `${error.reason}: ${error.message}`;
    throw error;
  }
  const { attributes, ...rest } = target;
  return [rest, [...(attributes ?? [])]];
}
