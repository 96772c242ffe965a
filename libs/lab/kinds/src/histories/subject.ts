// What the pipelines of one kind are given in a recorded history, and how it is judged.
import type { Clock, KindName, Random } from '@flatline/base';
import type { PipelineKind } from '@flatline/kinds';
import type { RecordHeader } from '@flatline/ports';
import type { InputRecord, OutputRecord, RawRecord, RulesByKind } from '@flatline/oracle';

export const OUTPUT = 'out';

export interface HistoryAct {
  readonly value: string | Uint8Array | null;
  readonly headers?: readonly RecordHeader[];
}

/** What producers do with one key, and know of it. */
export interface Producers {
  /** `round`: grows. `offsets`: where the records with this key lie that were produced. */
  act(key: string, random: Random, round: number, offsets: readonly number[]): HistoryAct;
}

export interface HistorySubject<Kind extends KindName = KindName> {
  readonly rules: RulesByKind[Kind];
  readonly producers: Producers;
  open(clock: Clock): Promise<PipelineKind>;
  /** Something that lives for 16 s if nothing follows. */
  readonly lasting: HistoryAct;
  /** Something that is refused, and longer than its letter may be. */
  readonly tooLong: HistoryAct;
  input(record: RawRecord): InputRecord;
  output(record: RawRecord): OutputRecord;
}

/** Longer than `max.message.bytes` of the dead letters, and refused by whatever takes no plain text. */
export const LONG_TEXT = 'no event'.repeat(400);

const utf8 = new TextEncoder();

/** By their names behind `flatline-`, or with a colon as they are. */
export function headersOf(headers: Readonly<Record<string, string | number>>): readonly RecordHeader[] {
  return Object.entries(headers).map(([name, value]) => ({
    name: name.startsWith(':') ? name.slice(1) : `flatline-${name}`,
    value: utf8.encode(String(value)),
  }));
}
