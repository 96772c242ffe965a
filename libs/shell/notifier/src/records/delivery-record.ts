// Deliveries, breakers and what is given up as records of `<pipeline>.deliveries` and `<pipeline>.undeliverable` (docs/FORMATS.md).
//
// The former are schedules themselves (D1): what is kept is a message that comes back at its time, on `<pipeline>.deliveries.due`.
// A delivery is a schedule of its own, with a key of its own: a key's number of schedules is bounded.
import type { DurationMs, Millis } from '@flatline/base';
import type { Breaker, Delivery, DeliveryMark, DeliveryName, GivenUp, KeptDelivery, Phase } from '@flatline/deliveries';
import type { OutgoingRecord, RecordHeader } from '@flatline/ports';
import { COMMAND_HEADER, DELAY_HEADER } from '@flatline/ports/formats';

/** Fields of a record of either topic beside its body. */
const DELIVERY_HEADER = 'delivery';
const BREAKER_HEADER = 'breaker';
/** Its value names a command to the notifier: `enable`. */
const NOTIFIER_COMMAND_HEADER = 'notifier-command';
export const REASON_HEADER = 'reason';
/** On a mark of a replay: the offset, in the same partition, of what was given up and is sent again. */
const REPLAYED_HEADER = 'replayed';
/** Whose record it is: the topics bear the pipeline's name alone. */
const APPLICATION_HEADER = 'application';

type Said = DeliveryMark & Pick<Delivery, 'type' | 'attempts' | 'strandedAt'> & { readonly phase: Phase };

export type DueRecord =
  | { readonly kind: 'delivery'; readonly delivery: Delivery; readonly phase: Phase }
  | { readonly kind: 'breaker'; readonly endpoint: string; readonly breaker: Breaker }
  | { readonly kind: 'enable'; readonly endpoint: string }
  | { readonly kind: 'other' };

/** A breaker is kept, not due: it comes back, and is kept again, once in a hundred days. */
const BREAKER_MS = 100 * 86_400_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const EMPTY = new Uint8Array(0);

export function keyOf({ endpoint, id }: DeliveryName): Uint8Array {
  return encoder.encode(`${endpoint}/${id}`);
}

/** The same, said to be of that application. */
export function ownRecord(record: OutgoingRecord, application: string): OutgoingRecord {
  return { ...record, headers: [...(record.headers ?? []), header(APPLICATION_HEADER, application)] };
}

/** True of a record that another application has written. Earlier builds did not say. */
export function isOfAnother(headers: readonly RecordHeader[], application: string): boolean {
  const said = headers.findLast(({ name }) => name === APPLICATION_HEADER)?.value;
  return said != null && decoder.decode(said) !== application;
}

/** `delayMs`: from its record on, by the brokers' clock. Ours may be far from that, and then all would be due at once, for ever. */
export function keptRecord(delivery: Delivery, phase: Phase, delayMs: DurationMs): OutgoingRecord {
  return {
    key: keyOf(delivery),
    value: delivery.body,
    headers: [delay(delayMs), said(delivery, phase)],
  };
}

/** Nothing is due of it any more. */
export function droppedRecord(key: Uint8Array): OutgoingRecord {
  return { key, value: null, headers: [] };
}

export function wakingRecord(name: DeliveryName): OutgoingRecord {
  return { key: keyOf(name), value: EMPTY, headers: [header(COMMAND_HEADER, 'TRIGGER')] };
}

export function breakerRecord(endpoint: string, breaker: Breaker): OutgoingRecord {
  if (breaker.kind === 'closed' && breaker.failingSince === undefined) return droppedRecord(encoder.encode(endpoint));
  return {
    key: encoder.encode(endpoint),
    value: EMPTY,
    headers: [delay(BREAKER_MS), header(BREAKER_HEADER, JSON.stringify(breaker))],
  };
}

/** When what a record keeps comes out; undefined: it does not say. */
export function dueAtOf({
  timestamp,
  headers,
}: {
  readonly timestamp: Millis;
  readonly headers: readonly RecordHeader[];
}): Millis | undefined {
  const said = headers.findLast(({ name }) => name === DELAY_HEADER)?.value;
  return said == null ? undefined : timestamp + Number(decoder.decode(said));
}

/** Has each owner of a partition enable an endpoint. */
export function enablingRecord(endpoint: string): OutgoingRecord {
  return {
    key: encoder.encode(`${endpoint}/enable`),
    value: encoder.encode(endpoint),
    headers: [delay(0), header(NOTIFIER_COMMAND_HEADER, 'enable')],
  };
}

export function undeliverableRecord(delivery: Delivery, why: GivenUp): OutgoingRecord {
  const { body, key } = delivery;
  const headers = [said(delivery, 'waiting'), header(REASON_HEADER, why)];
  return { key: Buffer.from(key, 'base64'), value: why === 'too-large' ? EMPTY : body, headers };
}

/** Has what was given up sent again, as if it had just come: neither its attempts count nor how long it had no endpoint. */
export function replayingRecord(delivery: Delivery): OutgoingRecord {
  return keptRecord({ ...delivery, attempts: [], strandedAt: undefined }, 'waiting', 0);
}

/** Lies behind what was given up at `offset`, once that is sent again. */
export function replayedMark({ key }: Pick<Delivery, 'key'>, offset: number): OutgoingRecord {
  return { key: Buffer.from(key, 'base64'), value: EMPTY, headers: [header(REPLAYED_HEADER, String(offset))] };
}

/** Offset that a mark names; undefined: the record is none. */
export function replayedIn(headers: readonly RecordHeader[]): number | undefined {
  const said = headers.findLast(({ name }) => name === REPLAYED_HEADER)?.value;
  return said == null ? undefined : Number(decoder.decode(said));
}

/** Reads a kept, or due, delivery by its message. */
function dueRecordOf(value: Uint8Array, headers: readonly RecordHeader[]): DueRecord {
  const of = (name: string): string | undefined => {
    const found = headers.findLast((each) => each.name === name)?.value;
    return found == null ? undefined : decoder.decode(found);
  };
  const delivery = of(DELIVERY_HEADER);
  if (delivery !== undefined) return deliveryIn(delivery, value);
  const breaker = of(BREAKER_HEADER);
  if (breaker !== undefined) return { kind: 'other' };
  if (of(NOTIFIER_COMMAND_HEADER) === 'enable') return { kind: 'enable', endpoint: decoder.decode(value) };
  return { kind: 'other' };
}

/** The same with the record's key, which says whose a breaker is. */
export function keptRecordOf(key: Uint8Array, value: Uint8Array, headers: readonly RecordHeader[]): DueRecord {
  const breaker = headers.findLast(({ name }) => name === BREAKER_HEADER)?.value;
  if (breaker == null) return dueRecordOf(value, headers);
  const read = parsed(decoder.decode(breaker)) as Breaker | undefined;
  return read === undefined ? { kind: 'other' } : { kind: 'breaker', endpoint: decoder.decode(key), breaker: read };
}

/** Begins a restored queue; the body of a delivery that only waits stays where it is. */
export function keptOf({
  delivery,
  phase,
  dueAt,
}: Pick<KeptDelivery, 'phase' | 'dueAt'> & { readonly delivery: Delivery }): KeptDelivery {
  const { endpoint, id, key, order } = delivery;
  return { mark: { endpoint, id, key, order }, phase, dueAt, ...(phase === 'held' && { delivery }) };
}

function deliveryIn(text: string, body: Uint8Array): DueRecord {
  const read = parsed(text) as Said | undefined;
  if (typeof read?.endpoint !== 'string' || typeof read.id !== 'string' || !Array.isArray(read.attempts))
    return { kind: 'other' };
  const { endpoint, id, key, order, type, attempts, strandedAt, phase } = read;
  const stranded = strandedAt !== undefined && { strandedAt };
  return { kind: 'delivery', delivery: { endpoint, id, key, order, type, attempts, body, ...stranded }, phase };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function said({ endpoint, id, key, order, type, attempts, strandedAt }: Delivery, phase: Phase): RecordHeader {
  const all: Said = { endpoint, id, key, order, type, attempts, strandedAt, phase };
  return header(DELIVERY_HEADER, JSON.stringify(all));
}

function delay(delayMs: DurationMs): RecordHeader {
  return header(DELAY_HEADER, String(Math.max(0, Math.ceil(delayMs))));
}

function header(name: string, value: string): RecordHeader {
  return { name, value: encoder.encode(value) };
}
