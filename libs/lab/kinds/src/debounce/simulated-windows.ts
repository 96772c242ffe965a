// Worlds of windows: items, cancels, flushes, waits of their own, items too large for any batch.
import type { Random } from '@flatline/base';
import type { LogRecord, ProducedRecord } from '@flatline/cluster';
import type { PipelineKind } from '@flatline/kinds';
import { debounceKind, type DebounceRules } from '@flatline/kinds/debounce';
import { keyedRecord } from '@flatline/oracle';
import type { DebouncedBatch } from '@flatline/ports/formats';
import { openBatchEncoder } from '@flatline/records/batches';
import { commonRules, type KindScenario } from '../worlds/common-rules.ts';
import { type Judged, type SimulatedKind, textIn, type Word } from '../worlds/simulated-kind.ts';
import { OUTPUT } from '../worlds/topics.ts';

export interface DebounceSubject extends DebounceRules {
  /** Capacity of an output record. */
  readonly batchBytesMax: number;
}

const utf8 = new TextEncoder();
const encoder = await openBatchEncoder('json', OUTPUT, undefined);

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

export class SimulatedWindows implements SimulatedKind {
  readonly judged: Judged;
  readonly atCalm = undefined;
  readonly actors = undefined;
  readonly #rules: DebounceSubject;
  #items = 0;

  constructor(rules: DebounceSubject, scenario: KindScenario) {
    this.#rules = rules;
    this.judged = {
      rules: { kind: 'debounce', format: 'json', ...rules, ...commonRules(scenario) },
      targets: [],
      tellsRoom: false,
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

  failsAt(): boolean {
    return false;
  }

  word({ value }: LogRecord): Word {
    const { windowId, part, reason, firedAt } = JSON.parse(textIn(value)) as Batch;
    // In mode `leading` two batches of a window have the same part.
    return { id: `${windowId} ${reason === 'LEADING' ? reason : part}`, what: reason, at: firedAt, sums: undefined };
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
