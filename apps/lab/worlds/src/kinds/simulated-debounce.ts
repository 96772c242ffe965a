// Worlds of windows: items, cancels, flushes, waits of their own, items that no batch holds.
import type { Random } from '@flatline/base';
import type { LogRecord, ProducedRecord } from '@flatline/cluster';
import { debounceKind, type DebounceRules, type PipelineKind } from '@flatline/kinds';
import { keyedRecord } from '@flatline/oracle';
import type { DebouncedBatch } from '@flatline/ports/formats';
import { openBatchEncoder } from '@flatline/records';
import { oneOf } from '../one-of.ts';
import { OUTPUT } from '../pipeline-names.ts';
import { commonRules, type KindScenario } from './common-rules.ts';
import { type Judged, type SimulatedKind, textIn, type Word } from './simulated-kind.ts';

export interface DebounceSubject extends DebounceRules {
  /** What a record of the output may hold. */
  readonly batchBytesMax: number;
}

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

/** `onEncode`: looks at each batch before it is encoded, and may throw. */
export function openWindows(rules: DebounceSubject, onEncode?: (batch: DebouncedBatch) => void): PipelineKind {
  return debounceKind({
    rules,
    outputTopic: OUTPUT,
    encoder: {
      batchBytesMax: rules.batchBytesMax,
      weighing: encoder.weighing,
      aroundBytes: (keyLength) => encoder.aroundBytes(keyLength),
      itemBytes: (bytes, start, length) => encoder.itemBytes(bytes, start, length),
      encode: (batch) => {
        onEncode?.(batch);
        return encoder.encode(batch);
      },
    },
  });
}

export class SimulatedDebounce implements SimulatedKind {
  readonly judged: Judged;
  readonly #rules: DebounceSubject;
  #items = 0;

  constructor(rules: DebounceSubject, scenario: KindScenario) {
    this.#rules = rules;
    this.judged = {
      rules: { kind: 'debounce', format: 'json', ...rules, ...commonRules(scenario) },
      input: (record) => keyedRecord(record),
    };
  }

  open(): PipelineKind {
    return openWindows(this.#rules);
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

  word({ value }: LogRecord): Word {
    const { windowId, part, reason, firedAt } = JSON.parse(textIn(value)) as Batch;
    // In mode `leading` two batches of a window have the same part.
    return { id: `${windowId} ${reason === 'LEADING' ? reason : part}`, what: reason, at: firedAt };
  }
}

interface Batch {
  readonly windowId: string;
  readonly part: number;
  readonly reason: string;
  readonly firedAt: number;
}

function headerOf(name: string, value: string): { readonly name: string; readonly value: Uint8Array } {
  return { name, value: utf8.encode(value) };
}
