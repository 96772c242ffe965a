// Worlds of windows: items, cancels, flushes, waits of their own, items that no batch holds.
import type { Random } from '@flatline/base';
import type { LogRecord, ProducedRecord } from '@flatline/cluster';
import { debounceKind, type DebounceRules, type PipelineKind } from '@flatline/kinds';
import { type FoldedBatch, foldDebounce, type RawRecord } from '@flatline/oracle';
import type { DebouncedBatch, DebouncedBatchEncoder } from '@flatline/ports/formats';
import { openBatchEncoder } from '@flatline/records';
import { oneOf } from '../one-of.ts';
import { OUTPUT } from '../pipeline-names.ts';
import { canonical, type ExpectedWords, type SimulatedKind, textIn, type Word } from './simulated-kind.ts';

export interface DebounceSubject extends DebounceRules {
  /** What a record of the output may hold. */
  readonly batchBytesMax: number;
}

interface Batch {
  readonly reason: string;
  readonly firedAt: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly items: readonly { readonly offset: number }[];
}

/** Bytes around a batch in JSON, of each byte of its key, around each item (docs/FORMATS.md). */
const AROUND_BYTES = 512;
const KEY_BYTE_BYTES = 8;
const ITEM_BYTES = 66;
/** Room for some items, and for one: where windows come in parts, most then have several. */
const FEW_BYTES = 900;
const ONE_ITEM_BYTES = 720;
const utf8 = new TextEncoder();
const encoder = await openBatchEncoder('json', OUTPUT, undefined);

export function drawDebounceRules(random: Random): DebounceSubject {
  const waitMs = oneOf(random, [50, 500, 1_000, 3_000]);
  const drawn = {
    mode: oneOf(random, ['trailing', 'trailing', 'window', 'leading'] as const),
    waitMs,
    maxWaitMs: oneOf(random, [0, 2 * waitMs, 10 * waitMs]),
    maxItems: oneOf(random, [1, 3, 1_000_000, 1_000_000]),
    maxBytes: oneOf(random, [60, 1_000_000, 1_000_000]),
    onOversize: oneOf(random, ['flush', 'split'] as const),
    batchBytesMax: oneOf(random, [FEW_BYTES, 1_000_000]),
    maxPartsBytes: 100_000_000,
    reducer: oneOf(random, ['all', 'all', 'first', 'last', 'count'] as const),
    reduce: undefined,
    dedupeBy: undefined,
  } as const;
  const isInParts = drawn.onOversize === 'split' && drawn.batchBytesMax === FEW_BYTES;
  return isInParts ? { ...drawn, batchBytesMax: ONE_ITEM_BYTES } : drawn;
}

export class SimulatedDebounce implements SimulatedKind {
  readonly #rules: DebounceSubject;
  readonly #encoder: DebouncedBatchEncoder;
  #items = 0;

  /** `onEncode`: looks at each batch before it is encoded, and may throw. */
  constructor(rules: DebounceSubject, onEncode?: (batch: DebouncedBatch) => void) {
    this.#rules = rules;
    this.#encoder = {
      batchBytesMax: rules.batchBytesMax,
      weighing: encoder.weighing,
      aroundBytes: (keyLength) => encoder.aroundBytes(keyLength),
      itemBytes: (bytes, start, length) => encoder.itemBytes(bytes, start, length),
      encode: (batch) => {
        onEncode?.(batch);
        return encoder.encode(batch);
      },
    };
  }

  open(): PipelineKind {
    return debounceKind({ rules: this.#rules, encoder: this.#encoder, outputTopic: OUTPUT });
  }

  record(key: string, random: Random): ProducedRecord {
    this.#items += 1;
    const value = random.chance(0.08)
      ? null
      : `item ${this.#items}`.padEnd(random.below(random.chance(0.05) ? 1_200 : 60), '-');
    if (random.chance(0.8)) return { key, value };
    const headers = [
      ...(random.chance(0.3) ? [headerOf('flatline-command', random.chance(0.95) ? 'FLUSH' : 'STOP')] : []),
      ...(random.chance(0.5) ? [headerOf('flatline-wait-ms', String(random.below(4_000)))] : []),
      ...(random.chance(0.3) ? [headerOf('flatline-max-wait-ms', String(1 + random.below(6_000)))] : []),
    ];
    return { key, value, headers };
  }

  expect(records: readonly RawRecord[], partition: number): ExpectedWords {
    const { batchBytesMax } = this.#rules;
    const { said, refused } = foldDebounce(records, {
      partition,
      logAppendTime: true,
      rules: {
        ...this.#rules,
        reduce: undefined,
        roomFor: (key) => batchBytesMax - AROUND_BYTES - KEY_BYTE_BYTES * key.length,
        sizeOf: (value) => ITEM_BYTES + utf8.encode(JSON.stringify(textIn(value))).length,
      },
    });
    return {
      said: new Map([...said].map(([key, batches]) => [key, batches.map((each) => shown(key, each))])),
      refused,
    };
  }

  word(record: LogRecord): Word {
    const batch = batchIn(record);
    return { text: canonical(batch), what: batch.reason, at: batch.firedAt };
  }

  /** B2: items come in the order of the log; B4: none comes twice. */
  faultsAmong(records: readonly LogRecord[]): readonly string[] {
    const faults: string[] = [];
    let last = -1;
    for (const { items, reason, firstOffset, lastOffset } of records.map(batchIn)) {
      const offsets = reason === 'CANCELLED' ? [firstOffset, lastOffset] : items.map(({ offset }) => offset);
      const isAlone = reason === 'CANCELLED' && firstOffset === lastOffset;
      for (const offset of isAlone ? [firstOffset] : offsets) {
        if (offset === last) faults.push(`[B4] the item at ${offset} comes twice`);
        else if (offset < last) faults.push(`[B2] the item at ${offset} comes after that at ${last}`);
        last = offset;
      }
    }
    return faults;
  }
}

function batchIn({ value }: LogRecord): Batch {
  return JSON.parse(textIn(value)) as Batch;
}

function shown(key: string, { items, ...batch }: FoldedBatch): string {
  const texts = items.map(({ offset, timestamp, value }) => ({ offset, timestamp, value: textIn(value) }));
  return canonical({ key, ...batch, items: texts });
}

function headerOf(name: string, value: string): { readonly name: string; readonly value: Uint8Array } {
  return { name, value: utf8.encode(value) };
}
