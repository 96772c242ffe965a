// The head of a window as bytes: in the base of a changelog, in the local store, and what a touch changes of it.
//
//   head  = form varint · first offset varint · max end varint (0: none) · touched, with the waits' beginning as varint
//   touch = clock − beginning of the wait signed · wait ms varint · items varint · bytes varint · batch bytes varint
//
// An item is a touch and an append to the state: nothing else of a window changes with it.
import { ByteReader, type ByteWriter, MalformedBytes } from '@flatline/base';
import type { EntryFormat, TouchBase } from '../contract.ts';
import { BATCH_BYTES_SPACE, BYTES_SPACE, COUNT_SPACE, DebounceWindow } from './debounce-window.ts';
import { FORMS_COUNT } from './window-form.ts';

function encodeHead(head: DebounceWindow, out: ByteWriter): number {
  out.varint(head.form);
  out.varint(head.firstOffset);
  out.varint(head.maxEndAt);
  out.varint(head.waitsFrom);
  const before = out.length;
  out.varint(head.waitMs);
  out.varint(head.count);
  out.varint(head.valueBytes);
  out.varint(head.batchBytes);
  return out.length - before;
}

function decodeHead(bytes: Uint8Array, start: number, end: number, head: DebounceWindow): number {
  const input = new ByteReader(bytes, start, end);
  const form = input.varint();
  if (form >= FORMS_COUNT) throw new MalformedBytes(`form ${form} of a window`);
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
  head.takes(below(BATCH_BYTES_SPACE, input.varint(), 'bytes in batches'), form);
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
