// The input and the judge of one kind's pipelines in a recorded history.
import type { Clock, KindName, Random } from '@flatline/base';
import type { PipelineKind } from '@flatline/kinds';
import type { RecordHeader } from '@flatline/ports';
import type { InputRecord, OutputRecord, RawRecord, RulesByKind } from '@flatline/oracle';

export const OUTPUT = 'out';

export interface HistoryAct {
  readonly value: string | Uint8Array | null;
  readonly headers?: readonly RecordHeader[];
}

/** The producers of one key, and their knowledge of it. */
export interface Producers {
  /** `round`: grows. `offsets`: of the records produced with this key. */
  act(key: string, random: Random, round: number, offsets: readonly number[]): HistoryAct;
}

export interface HistorySubject<Kind extends KindName = KindName> {
  readonly rules: RulesByKind[Kind];
  readonly producers: Producers;
  open(clock: Clock): Promise<PipelineKind>;
  /** Lives for 16 s if nothing follows. */
  readonly lasting: HistoryAct;
  /** Refused, and longer than its letter may be. */
  readonly tooLong: HistoryAct;
  input(record: RawRecord): InputRecord;
  output(record: RawRecord): OutputRecord;
}

/** Longer than `max.message.bytes` of the dead letters, and refused by every kind that takes no plain text. */
export const LONG_TEXT = 'no event'.repeat(400);

const utf8 = new TextEncoder();

/** Names are taken behind `flatline-`, or as they are if they contain a colon. */
export function headersOf(headers: Readonly<Record<string, string | number>>): readonly RecordHeader[] {
  return Object.entries(headers).map(([name, value]) => ({
    name: name.startsWith(':') ? name.slice(1) : `flatline-${name}`,
    value: utf8.encode(String(value)),
  }));
}
