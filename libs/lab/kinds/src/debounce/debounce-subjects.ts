import { debounceKind, type DebounceRules } from '@flatline/kinds/debounce';
import { openBatchEncoder } from '@flatline/records/batches';
import { keyedRecord, outputRecord } from '@flatline/oracle';
import type { DebouncePipelineRules } from '@flatline/oracle/anatomy';
import { headersOf, LONG_TEXT, OUTPUT, type HistorySubject } from '../histories/subject.ts';

/** Histories have no reducer with a state: worlds have. */
type OwnRules = Omit<DebounceRules, 'reduced'>;

const OWN: OwnRules = {
  mode: 'trailing',
  waitMs: 2_500,
  maxWaitMs: 25_000,
  maxItems: 3,
  maxBytes: 300,
  onOversize: 'flush',
  maxPartsBytes: 1_000_000,
  reducer: 'all',
  reduce: undefined,
  dedupeBy: undefined,
};

export function windows(changes: Partial<OwnRules> = {}): HistorySubject<'debounce'> {
  const own = { ...OWN, ...changes };
  const rules: DebouncePipelineRules = {
    kind: 'debounce',
    timestampType: 'LogAppendTime',
    maxKeyBytes: 32,
    unheardMs: 0,
    maxHoldMs: 0,
    format: 'json',
    ...own,
  };
  return {
    rules,
    open: async () =>
      debounceKind({ rules: own, encoder: await openBatchEncoder('json', OUTPUT, undefined), outputTopic: OUTPUT }),
    producers: {
      act: (_key, random, round) => {
        const kind = random.below(100);
        if (kind < 10) return { value: null };
        if (kind < 13) return { value: null, headers: headersOf({ command: 'FLUSH' }) };
        if (kind < 14) return { value: 'too long', headers: headersOf({ 'wait-ms': 'soon' }) };
        if (kind < 20) return { value: Uint8Array.of(0xff, kind, round % 256) };
        if (kind < 30) return { value: `plain ${round}` };
        if (kind < 40) return { value: `{"n":${round}}`, headers: headersOf({ 'max-wait-ms': 3_000 }) };
        if (kind < 50) return { value: `{"n":${round}}`, headers: headersOf({ 'wait-ms': 500 + kind }) };
        return { value: `{"n":${round},"of":"${'x'.repeat(kind)}"}` };
      },
    },
    lasting: { value: '"last"', headers: headersOf({ 'wait-ms': 25_000 }) },
    tooLong: { value: LONG_TEXT },
    input: (record) => keyedRecord(record),
    output: (record) => outputRecord(record),
  };
}
