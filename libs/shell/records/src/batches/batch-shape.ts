import type { DebouncedBatch } from '@flatline/ports/formats';
import { checkSafeInteger, type ReceivedItem, type RecordField, type RecordShape } from '../record-shape.ts';

/** A batch, or a part of one, as a reader gets it: a reason of a newer processor, not in BatchReason yet, is kept. */
export type ReceivedBatch = Omit<DebouncedBatch, 'key' | 'reason' | 'items'> & {
  /** The key as text; its bytes are the record's key. */
  readonly key: string;
  readonly reason: string;
  readonly items: readonly ReceivedItem[];
};

/** The record, while it is read. */
export type BatchDraft = { -readonly [Name in keyof ReceivedBatch]: ReceivedBatch[Name] };

/** Returns the values of fields left out: the defaults of `schemas/debounced-batch.avsc`. */
export function blankBatch(): BatchDraft {
  return {
    key: '',
    windowId: '',
    reason: '',
    openedAt: 0,
    firedAt: 0,
    part: 0,
    last: false,
    count: 0,
    bytes: 0,
    duplicates: 0,
    firstOffset: 0,
    lastOffset: 0,
    items: [],
  };
}

type BatchField = RecordField<never, BatchDraft>;
type NamesOf<Value> = { [Name in keyof BatchDraft]: BatchDraft[Name] extends Value ? Name : never }[keyof BatchDraft];

/** Batches have writers of their own, which know their lengths beforehand. */
const get = (): undefined => undefined;

function text(name: NamesOf<string>, recurs = false): BatchField {
  const set = (draft: BatchDraft, value: string): void => {
    draft[name] = value;
  };
  return { name, kind: 'text', recurs, nullable: false, required: true, get, set };
}

function long(name: NamesOf<number>, required = true): BatchField {
  const set = (draft: BatchDraft, value: number): void => {
    draft[name] = checkSafeInteger(name, value, Number.MIN_SAFE_INTEGER);
  };
  return { name, kind: 'long', nullable: false, required, get, set };
}

/** The fields of `schemas/debounced-batch.avsc`, in its order, but for `keyBase64`: readers have the record's key. */
export const BATCH_SHAPE: RecordShape<never, BatchDraft> = [
  text('key'),
  text('windowId'),
  text('reason', true),
  long('openedAt'),
  long('firedAt'),
  long('part'),
  {
    name: 'last',
    kind: 'boolean',
    nullable: false,
    required: true,
    get,
    set: (draft, value) => {
      draft.last = value;
    },
  },
  long('count'),
  long('bytes'),
  long('firstOffset'),
  long('lastOffset'),
  {
    name: 'items',
    kind: 'items',
    nullable: false,
    required: true,
    get,
    set: (draft, value) => {
      draft.items = value;
    },
  },
  long('duplicates', false),
];
