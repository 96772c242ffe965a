import { sessionKind } from '@flatline/kinds/session';
import { EventFormats } from '@flatline/records/events';
import { openSummaryEncoder } from '@flatline/records/summaries';
import { inputRecord, jsonEvent, outputRecord, type PipelineRules } from '@flatline/oracle';
import { LONG_TEXT, OUTPUT, type HistorySubject } from '../histories/subject.ts';

export const SESSION_RULES: PipelineRules = {
  kind: 'session',
  timestampType: 'LogAppendTime',
  timeoutMs: 5_000,
  minTimeoutMs: 1_000,
  maxTimeoutMs: 20_000,
  maxDurationMs: 40_000,
  graceMs: 0,
  late: 'deadLetter',
  dedupeEventIds: 4,
  maxSources: 3,
  maxAttributes: 3,
  maxAttributeBytes: 60,
  maxKeyBytes: 32,
  unheardMs: 0,
  maxHoldMs: 0,
};

export function sessions(rules: PipelineRules = SESSION_RULES): HistorySubject<'session'> {
  // Histories have no reducer: worlds have.
  const own = { ...rules, reducer: undefined };
  return {
    rules,
    open: async (clock) =>
      sessionKind({
        rules: own,
        decoder: new EventFormats({ format: 'auto', registry: undefined, clock }),
        encoder: await openSummaryEncoder('json', OUTPUT, undefined),
        tombstones: rules.tombstones ?? true,
        outputTopic: OUTPUT,
      }),
    producers: {
      act: (_key, random, round) => {
        const kind = random.below(100);
        if (kind < 50) return { value: '' };
        if (kind < 60) return { value: null };
        if (kind < 62) return { value: 'no event' };
        return { value: JSON.stringify(eventOf(kind, round)) };
      },
    },
    lasting: { value: '{"timeoutMs":20000}' },
    tooLong: { value: LONG_TEXT },
    input: (record) => inputRecord(record, jsonEvent),
    output: (record) => outputRecord(record),
  };
}

/** Sequences with gaps and repetitions, ids that come again, timeouts within and without the bounds, attributes. */
function eventOf(kind: number, sequence: number): object {
  return {
    ...(kind % 3 === 0 ? { type: `TYPE-${kind % 5}` } : {}),
    ...(kind % 4 === 0 ? { sequence: sequence - (kind % 7) + 10 } : {}),
    ...(kind % 8 === 0 ? { source: `source-${kind % 5}` } : {}),
    ...(kind % 5 === 0 ? { eventId: `id-${kind}` } : {}),
    ...(kind % 11 === 0 ? { timeoutMs: 500 * (kind % 13) + 1 } : {}),
    ...(kind % 2 === 0 ? { attributes: { [`name-${kind % 5}`]: `value ${sequence}` } } : {}),
    ...(kind === 99 ? { type: 'ENDED' } : {}),
    ...(kind === 98 ? { type: 'STARTED', sequence: 1 } : {}),
  };
}
