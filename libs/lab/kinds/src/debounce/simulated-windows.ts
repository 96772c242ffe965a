// Worlds of windows: items, cancels, flushes, waits of their own, items too large for any batch.
import type { Random } from '@flatline/base';
import type { LogRecord, ProducedRecord, Simulation } from '@flatline/cluster';
import type { PipelineKind } from '@flatline/kinds';
import { debounceKind, type DebounceRules } from '@flatline/kinds/debounce';
import { keyedRecord } from '@flatline/oracle';
import type { DebouncedBatch } from '@flatline/ports/formats';
import { openBatchEncoder } from '@flatline/records/batches';
import { commonRules, type KindScenario } from '../worlds/common-rules.ts';
import { asElsewhere, drawReducers, reducedFields, rulesOf } from '../worlds/drawn-reducers.ts';
import { type Judged, type SimulatedKind, textIn, type Word } from '../worlds/simulated-kind.ts';
import { OUTPUT } from '../worlds/topics.ts';
import { whateverLived } from '../worlds/whatever-lived.ts';

export interface DebounceSubject extends DebounceRules {
  /** Capacity of an output record. */
  readonly batchBytesMax: number;
}

const utf8 = new TextEncoder();
const encoder = await openBatchEncoder('json', OUTPUT, undefined);

/** `onEncode`: looks at each batch before it is encoded, and may throw. */
export function openWindows(rules: DebounceSubject, onEncode?: (batch: DebouncedBatch) => void): PipelineKind {
  const { reduced } = rules;
  return debounceKind({
    rules: reduced === undefined ? rules : { ...rules, reduced: asElsewhere(reduced) },
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

  /** Draws the fields that a reducer reads; undefined: there is none. */
  readonly #reducible: Random | undefined;

  constructor(simulation: Simulation, drawn: DebounceSubject, scenario: KindScenario, isChanged: boolean) {
    const reducers = drawReducers(simulation.random('reducers'));
    const reduced = reducers[isChanged ? 1 : 0];
    const rules = reduced === undefined ? drawn : { ...drawn, reducer: 'custom' as const, reduced };
    const isReduced = reducers.some((each) => each !== undefined);
    this.#reducible = isReduced ? simulation.random('what is reduced') : undefined;
    this.#rules = rules;
    const unreduced = {
      kind: 'debounce',
      format: 'json',
      ...drawn,
      reducer: rules.reducer,
      reduced: undefined,
      ...commonRules(scenario),
    } as const;
    this.judged = {
      rules: { ...unreduced, ...(reduced && { reduced: rulesOf(reduced) }) },
      whateverLived: whateverLived(unreduced, reduced !== undefined),
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
    return this.#asked(key, this.#reducibleOf(value), random);
  }

  /** In JSON, with what reducers look at, as long as it was. */
  #reducibleOf(value: string | null): string | null {
    const random = this.#reducible;
    if (value === null || random === undefined || random.chance(0.1)) return value;
    return JSON.stringify({ ...reducedFields(random), of: value });
  }

  #asked(key: string, value: string | null, random: Random): ProducedRecord {
    if (random.chance(0.8)) return { key, value };
    const headers = [
      ...(random.chance(0.3)
        ? [headerOf('flatline-command', random.chance(0.95) ? 'FLUSH' : value === null ? 'CANCEL' : 'STOP')]
        : []),
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
