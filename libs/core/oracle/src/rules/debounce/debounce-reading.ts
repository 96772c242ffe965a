// Windows of items, as the judges read them (docs/FORMATS.md, Batches).
import { base64Of, textOf, utf8In } from '../../logs/byte-names.ts';
import type { CommonRules, OutputRecord } from '../../logs/history.ts';
import { fieldDifferences } from '../differences.ts';
import { EntriesFold } from '../entries-fold.ts';
import type { EntryRules, Expectation } from '../entry-rules.ts';
import { faultWords } from '../fault-words.ts';
import { type FoldCounts, STATE_ON_TOP, stateAtMost } from '../input-fold.ts';
import type { Ending, KindReading, OutputWords } from '../reading.ts';
import { saidOutput } from '../said-output.ts';
import { batchSizes, itemJson } from './batch-sizes.ts';
import { type DebounceFoldRules, type FoldedBatch, itemsOf, NaiveWindow, type WindowState } from './naive-window.ts';
import { UNDECIDED } from '../reducing/naive-reducer.ts';
import { owedIn, touchedWindow, windowIn } from './window-image.ts';

/** The rules of a pipeline that debounces. */
export interface DebouncePipelineRules extends CommonRules, Omit<DebounceFoldRules, 'roomFor' | 'sizeOf'> {
  readonly kind: 'debounce';
  /** Format of the output, on which depends how much fits a record. */
  readonly format: 'json' | 'avro';
  /** Maximum bytes of a batch in a record of the output. Default: as in docs/FORMATS.md. */
  readonly batchBytesMax?: number;
}

type Fields = Readonly<Record<string, unknown>>;

const ENDINGS: Readonly<Record<string, Ending>> = { QUIET: 'timeouts', WINDOW: 'timeouts', MAX_WAIT: 'maxDurations' };

export function debounceReading(partition: number, rules: DebouncePipelineRules, counts: FoldCounts): KindReading {
  const own = { ...rules, ...batchSizes(rules.format, rules.batchBytesMax) };
  const kind = windowEntries(partition, own);
  const fold = new EntriesFold({ rules, counts, kind });
  const adoptRules = (): void => {
    Object.assign(own, rules, batchSizes(rules.format, rules.batchBytesMax));
  };
  return { plural: 'windows', fold, words: BATCHES, touched: touchedWindow, adoptRules };
}

export function windowEntries(partition: number, rules: DebounceFoldRules): EntryRules<WindowState, FoldedBatch> {
  return {
    machine: (key) => new NaiveWindow(rules, partition, key),
    expect: expectation,
    stateIn: windowIn,
    needsRoom: ({ value }) => value !== null,
    passesThrough: ({ value }) => value !== null,
    stateBytes: ({ form, items, stateBytes }) =>
      form.keepsOne
        ? stateAtMost((items[0]?.value.length ?? 0) + (items[0]?.state?.length ?? 0))
        : STATE_ON_TOP + stateBytes,
    // A custom reducer's result may be as large as a batch holds.
    addsAtMost: rules.reducer === 'custom' ? REDUCED_BYTES_MAX : 0,
    owedFrom: (image) => {
      const owed = owedIn(image);
      return owed && `${partition}-${owed.offset} ${owed.part}`;
    },
    differences: (found, expected) => [
      ...fieldDifferences(fieldsOf(found, isUndecided(expected)), fieldsOf(expected, isUndecided(expected))),
      ...(isUndecided(expected) ? [] : itemDifferences(found, expected)),
    ],
    faults: faultWords(({ offset, count }) => `the window ${partition}-${offset} with ${count} items`),
    beginningOf: ({ offset }) => offset,
    instantOf: ({ summary }) => numberIn(summary, 'firedAt'),
    latestOffsetOf: ({ summary }) => numberIn(summary, 'lastOffset') ?? Number.NaN,
  };
}

function expectation({ items, ...batch }: FoldedBatch, key: Uint8Array): Expectation {
  const { windowId, reason, part, last, count } = batch;
  const keyBase64 = utf8In(key) === undefined ? base64Of(key) : undefined;
  const expected = { key: textOf(key), ...batch, keyBase64 };
  return {
    id: idIn(batch)!,
    at: batch.firedAt,
    why: `part ${part} of ${windowId}, ${count} items, ${reason}`,
    ending: last && reason !== 'LEADING' ? (ENDINGS[reason] ?? 'ends') : undefined,
    compare: ({ summary = {}, value }) => {
      const isJson = value?.[0] === OPENING_BRACE;
      const wanted = items.map(({ offset, timestamp, ...item }) => ({
        offset,
        timestamp,
        value: isJson ? (JSON.parse(itemJson(item.value)) as unknown) : item.value,
      }));
      const different = fieldDifferences(summary, { ...expected, items: wanted });
      if (different.length === 0) return undefined;
      return { rule: 'V4', what: `${windowId} (${reason}) differs from the input: ${different.join('; ')}` };
    },
  };
}

const REDUCED_BYTES_MAX = 1_024_000;
const OPENING_BRACE = 0x7b;

/** In mode `leading` two batches of a window have the same part. */
function idIn({ windowId, part, reason }: Fields): string | undefined {
  if (typeof windowId !== 'string' || typeof part !== 'number') return undefined;
  return `${windowId} ${reason === 'LEADING' ? 'LEADING' : part}`;
}

const BATCHES: OutputWords = {
  idOf: ({ summary }) => summary && idIn(summary),
  lastOf: () => undefined,
  contradictions: () => [],
  saidIn: (record) => saidOutput(record, (text) => [text('reason'), 'batch.fired']),
  sentAs: ({ summary = {} }) => [summary['windowId'], summary['reason'], summary['part']],
  beginningOf: ({ summary }: OutputRecord) => numberIn(summary, 'firstOffset') ?? Number.NaN,
};

/** True if what it has come to was made by functions that are not known (S10). */
function isUndecided({ items }: WindowState): boolean {
  return items[0]?.state === UNDECIDED;
}

function fieldsOf({ form, offset, at, most, waitMs, lastAt, ...taken }: WindowState, isSizeUnknown: boolean): Fields {
  const { count, bytes, firstTaken, lastTaken } = taken;
  const size = isSizeUnknown ? 0 : taken.size;
  return { ...form, offset, at, most, waitMs, lastAt, count, bytes, firstTaken, lastTaken, size };
}

/** Compares all items in the pages of `found`. */
function itemDifferences({ items: found }: WindowState, expected: WindowState): readonly string[] {
  const wanted = itemsOf(expected);
  if (found.length !== wanted.length) return [`it has ${found.length} items, by the input ${wanted.length}`];
  return found.flatMap((item, index) => {
    const { offset, timestamp, value, state } = wanted[index]!;
    const found = { ...item, alike: undefined, record: undefined };
    const different = fieldDifferences(found, { offset, timestamp, value, state });
    return different.length === 0 ? [] : [`item ${index}: ${different.join(', ')}`];
  });
}

function numberIn(fields: Fields | undefined, name: string): number | undefined {
  const value = fields?.[name];
  return typeof value === 'number' ? value : undefined;
}
