// The head of a window as bytes: in the base of a changelog, in the local store, and in a touch the part that it changes.
//
//   head  = form varint · first offset varint · max end varint (0: none) · touched, with the waits' beginning as varint
//   touch = clock − beginning of the wait signed · wait ms varint · items varint · bytes varint · batch bytes varint [owed]
//   owed  = form, first offset, max end of the window that is open · what is owed: form, 8 × what is said next + reason, state
//           bytes, first offset, fired at, items, bytes, batch bytes, progress, each a varint
//
// An owed window follows batch bytes that are 2^28 more than they are: a touch repeats all of it, to cover what opens meanwhile.
//
// An item is a touch and an append to the state: nothing else of a window changes with it.
import { ByteReader, type ByteWriter, MalformedBytes } from '@flatline/base';
import type { EntryFormat, TouchBase } from '../contract.ts';
import { BATCH_BYTES_SPACE, BYTES_SPACE, COUNT_SPACE, DebounceWindow, type OwedWindow } from './debounce-window.ts';
import { BATCH_REASONS, NEXT_SAID } from './owed-windows.ts';
import { FORM_NUMBERS } from './window-form.ts';

function encodeHead(head: DebounceWindow, out: ByteWriter): number {
  out.varint(head.form);
  out.varint(head.firstOffset);
  out.varint(head.maxEndAt);
  out.varint(head.waitsFrom);
  const before = out.length;
  out.varint(head.waitMs);
  out.varint(head.count);
  out.varint(head.valueBytes);
  const { owed } = head;
  out.varint(head.batchBytes + (owed === undefined ? 0 : BATCH_BYTES_SPACE));
  if (owed !== undefined) encodeOwed(head, owed, out);
  return out.length - before;
}

function encodeOwed(head: DebounceWindow, owed: OwedWindow, out: ByteWriter): void {
  for (const number of [head.form, head.firstOffset, head.maxEndAt]) out.varint(number);
  const numbers = { ...owed, reason: owed.next * BATCH_REASONS.length + owed.reason };
  for (const name of OWED_NUMBERS) out.varint(numbers[name]);
}

const OWED_NUMBERS = [
  'form',
  'reason',
  'stateBytes',
  'firstOffset',
  'firedAt',
  'count',
  'valueBytes',
  'batchBytes',
  'progress',
] as const;

function decodeHead(bytes: Uint8Array, start: number, end: number, head: DebounceWindow): number {
  const input = new ByteReader(bytes, start, end);
  const form = formIn(input);
  head.firstOffset = input.varint();
  head.maxEndAt = input.varint();
  head.waitsFrom = input.varint();
  decodeCounts(input, head, form);
  return input.position;
}

function encodeTouch(head: DebounceWindow, { clock }: TouchBase, out: ByteWriter): void {
  out.signedVarint(clock - head.waitsFrom);
}

function decodeTouch(bytes: Uint8Array, start: number, end: number, { clock }: TouchBase, head: DebounceWindow): void {
  const input = new ByteReader(bytes, start, end);
  head.waitsFrom = clock - input.signedVarint();
  decodeCounts(input, head, head.form);
  if (input.remaining !== 0) throw new MalformedBytes(`${input.remaining} bytes after a touch of a window`);
}

function decodeCounts(input: ByteReader, head: DebounceWindow, form: number): void {
  head.waitMs = input.varint();
  const count = below(COUNT_SPACE, input.varint(), 'items');
  head.holds(count, below(BYTES_SPACE, input.varint(), 'bytes'));
  const batchBytes = below(2 * BATCH_BYTES_SPACE, input.varint(), 'bytes in batches');
  head.takes(batchBytes % BATCH_BYTES_SPACE, form);
  if (batchBytes < BATCH_BYTES_SPACE) head.owed = undefined;
  else decodeOwed(input, head);
}

function decodeOwed(input: ByteReader, head: DebounceWindow): void {
  head.takes(head.batchBytes, formIn(input));
  head.firstOffset = input.varint();
  head.maxEndAt = input.varint();
  const form = formIn(input);
  const reasons = below(BATCH_REASONS.length * NEXT_SAID.length, input.varint(), 'as reason');
  const [reason, next] = [reasons % BATCH_REASONS.length, Math.floor(reasons / BATCH_REASONS.length)];
  const [stateBytes, firstOffset, firedAt] = [input.varint(), input.varint(), input.varint()];
  const count = below(COUNT_SPACE, input.varint(), 'items');
  const valueBytes = below(BYTES_SPACE, input.varint(), 'bytes');
  const batchBytes = below(BATCH_BYTES_SPACE, input.varint(), 'bytes in batches');
  const sums = { count, valueBytes, batchBytes, progress: input.varint() };
  head.owed = { form, reason, next, stateBytes, firstOffset, firedAt, ...sums };
}

function formIn(input: ByteReader): number {
  const form = input.varint();
  if (form >= FORM_NUMBERS) throw new MalformedBytes(`form ${form} of a window`);
  return form;
}

function below(bound: number, value: number, what: string): number {
  if (value >= bound) throw new MalformedBytes(`${value} ${what} in a window`);
  return value;
}

export const debounceFormat: EntryFormat<DebounceWindow> = {
  window: (memory) => new DebounceWindow(memory),
  encode: encodeHead,
  decode: decodeHead,
  encodeTouch,
  decodeTouch,
};
