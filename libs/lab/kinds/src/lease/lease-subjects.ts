import { leaseKind, type LeaseRules } from '@flatline/kinds/lease';
import { openLeaseEventEncoder, RequestFormats } from '@flatline/records/leases';
import { keyedRecord, outputRecord } from '@flatline/oracle';
import type { LeasePipelineRules } from '@flatline/oracle/anatomy';
import { headersOf, LONG_TEXT, OUTPUT, type HistorySubject } from '../histories/subject.ts';

const OWN: LeaseRules = {
  timeoutMs: 4_000,
  minTimeoutMs: 1_000,
  maxTimeoutMs: 30_000,
  bucketMs: 0,
  onConflict: 'queue',
  maxWaiters: 2,
  lockDelayMs: 0,
  maxDurationMs: 20_000,
  tokenEpoch: 3,
  maxAttributes: 3,
  maxAttributeBytes: 60,
};
const EPOCH_TOKENS = 2 ** 40;

export function leases(changes: Partial<LeaseRules> = {}): HistorySubject<'lease'> {
  const own = { ...OWN, ...changes };
  const rules: LeasePipelineRules = {
    kind: 'lease',
    timestampType: 'LogAppendTime',
    maxKeyBytes: 32,
    unheardMs: 0,
    maxHoldMs: 0,
    ...own,
  };
  return {
    rules,
    open: async (clock) =>
      leaseKind({
        rules: own,
        decoder: new RequestFormats({ format: 'auto', registry: undefined, clock }),
        encoder: await openLeaseEventEncoder('json', OUTPUT, undefined),
        tombstones: true,
        outputTopic: OUTPUT,
      }),
    producers: {
      // The holder, clients that want the lease, and clients that believe they hold it.
      act: (_key, random, round, offsets) => {
        const kind = random.below(100);
        const start = random.chance(0.8) ? offsets.at(-1 - random.below(2)) : offsets[0];
        const token = { token: own.tokenEpoch * EPOCH_TOKENS + (start ?? 0) + 1 };
        const id = kind % 3 === 0 ? { requestId: `r${kind % 8}` } : {};
        if (kind < 2) return { value: 'no request' };
        if (kind < 35) {
          const times = { timeoutMs: 500 + 200 * (kind % 30), waitMs: 400 * (kind % 13) };
          const own = { requestId: `own${offsets.length}` };
          return {
            value: JSON.stringify({ type: 'STARTED', ...times, ...own, ...id, attributes: { round: String(round) } }),
          };
        }
        if (kind < 60) return { value: '', headers: headersOf(token) };
        if (kind < 70) return { value: JSON.stringify({ ...token, ...id }) };
        // The last client to ask leaves.
        if (kind >= 92) return { value: null, headers: headersOf({ 'request-id': `own${offsets.length - 1}` }) };
        return { value: null, headers: headersOf(token) };
      },
    },
    lasting: { value: '{"type":"STARTED","timeoutMs":30000}' },
    tooLong: { value: LONG_TEXT },
    input: (record) => keyedRecord(record),
    output: (record) => outputRecord(record),
  };
}
