// What the pipelines of one kind are given in a recorded history.
import type { Clock, Random } from '@flatline/base';
import type { PipelineKind } from '@flatline/kinds';
import type { RecordHeader } from '@flatline/ports';
import type { InputRecord, JudgedRules, OutputRecord, RawRecord } from '@flatline/oracle';

export const OUTPUT = 'out';

export interface Act {
  readonly value: string | Uint8Array | null;
  readonly headers?: readonly RecordHeader[];
}

/** What producers do with one key, and know of it. */
export interface Producers {
  /** `round`: grows. `offsets`: where the records with this key lie that were produced. */
  act(key: string, random: Random, round: number, offsets: readonly number[]): Act;
}

export interface Subject {
  readonly rules: JudgedRules;
  readonly producers: Producers;
  open(clock: Clock): Promise<PipelineKind>;
  /** Something that lives for 16 s if nothing follows. */
  readonly lasting: Act;
  input(record: RawRecord): InputRecord;
  output(record: RawRecord): OutputRecord;
}

const utf8 = new TextEncoder();

/** By their names behind `flatline-`, or with a colon as they are. */
export function headersOf(headers: Readonly<Record<string, string | number>>): readonly RecordHeader[] {
  return Object.entries(headers).map(([name, value]) => ({
    name: name.startsWith(':') ? name.slice(1) : `flatline-${name}`,
    value: utf8.encode(String(value)),
  }));
}
