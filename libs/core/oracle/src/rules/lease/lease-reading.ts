// Leases, as the judges read them (docs/FORMATS.md, Leases).
import { base64Of, textOf, utf8In } from '../../logs/byte-names.ts';
import { hasCommand } from '../../logs/acts.ts';
import type { CommonRules, OutputRecord } from '../../logs/history.ts';
import { fieldDifferences } from '../differences.ts';
import { EntriesFold } from '../entries-fold.ts';
import type { EntryRules, Expectation } from '../entry-rules.ts';
import { faultWords } from '../fault-words.ts';
import { headerText, incarnationFaults } from '../headers.ts';
import type { FoldCounts } from '../input-fold.ts';
import type { Ending, KindReading, OutputWords } from '../reading.ts';
import { saidOutput } from '../said-output.ts';
import { leaseIn, touchedLease } from './lease-image.ts';
import { askedBy } from './lease-request.ts';
import { stateSize } from './lease-size.ts';
import { type LeaseFoldRules, type LeaseState, NaiveLease, type Said, EPOCH_TOKENS } from './naive-lease.ts';

/** The rules of a pipeline of leases. */
export interface LeasePipelineRules extends CommonRules, LeaseFoldRules {
  readonly kind: 'lease';
}

type Fields = Readonly<Record<string, unknown>>;

/** How leases end, by the reason given. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  TIMEOUT: 'timeouts',
  MAX_DURATION: 'maxDurations',
  REPLACED: 'ends',
  EVICTED: 'evictions',
};

export function leaseReading(partition: number, rules: LeasePipelineRules, counts: FoldCounts): KindReading {
  const fold = new EntriesFold({ rules, counts, kind: leaseEntries(partition, rules) });
  return { plural: 'leases', fold, words: leaseWords(partition), touched: touchedLease };
}

export function leaseEntries(partition: number, rules: LeaseFoldRules): EntryRules<LeaseState, Said> {
  return {
    machine: (key, gaps) => new NaiveLease(rules, gaps, { leaseId: textOf(key), partition }),
    expect: (said, key) => (said === null ? undefined : expectation(said, key)),
    stateIn: leaseIn,
    needsRoom: (record, state) => {
      if (hasCommand(record.headers, 'RELEASE')) return false;
      const asked = askedBy(record);
      const renews = state?.lease !== undefined && asked !== 'bad' && asked.token === state.lease.token;
      return asked !== 'bad' && asked.does === 'start' && !renews;
    },
    stateBytes: ({ lease, waiting }) => stateSize(lease, waiting),
    weighsExactly: true,
    differences: (found, expected) => fieldDifferences(fieldsOf(found), fieldsOf(expected)),
    faults: faultWords(({ lease, lockedUntil = 0 }) =>
      lease === undefined ? `the lock delay until ${lockedUntil}` : `the lease with token ${lease.token}`,
    ),
    isEvictable: true,
    beginningOf: ({ lease, waiting }) => Math.max(lease?.offset ?? -1, ...waiting.map(({ offset }) => offset)),
    instantOf: ({ summary }) => numberIn(summary, 'at'),
    latestOffsetOf: ({ summary }) => offsetIn(summary),
  };
}

function expectation(said: Fields, key: Uint8Array): Expectation {
  const expected = { ...said, leaseKeyBase64: utf8In(key) === undefined ? base64Of(key) : undefined };
  const { type, reason, token } = said;
  const isEnd = type === 'EXPIRED' || type === 'RELEASED';
  return {
    id: idIn(said)!,
    at: numberIn(said, 'at'),
    why: `${textOfField(type)} ${textOfField(reason)}, token ${textOfField(token)}`,
    ending: isEnd ? (ENDINGS[String(reason)] ?? 'ends') : undefined,
    compare: ({ summary = {} }) => {
      const different = fieldDifferences(summary, expected);
      if (different.length === 0) return undefined;
      return { rule: 'V4', what: `the ${String(type)} differs from the input: ${different.join('; ')}` };
    },
  };
}

/** A request is answered once per type; a lease ends once. */
function idIn(fields: Fields): string | undefined {
  const { type, token, offset, at } = fields;
  if (typeof type !== 'string') return undefined;
  if (type === 'EXPIRED') return `${type} ${textOfField(token)}`;
  return `${type} ${offset === undefined || offset === null ? `at ${textOfField(at)}` : textOfField(offset)}`;
}

function leaseWords(partition: number): OutputWords {
  const incarnationIn = ({ summary }: OutputRecord): string | undefined => {
    const isOfLease = ['GRANTED', 'EXPIRED', 'RELEASED'].includes(String(summary?.['type']));
    return isOfLease ? `${partition}-${Number(summary?.['token']) % EPOCH_TOKENS}` : undefined;
  };
  return {
    idOf: ({ summary }) => summary && idIn(summary),
    lastOf: (record) => (record.summary?.['type'] === 'GRANTED' ? undefined : incarnationIn(record)),
    contradictions: (record) => [...incarnationFaults(record, incarnationIn(record)), ...requestIdFaults(record)],
    saidIn: (record) =>
      saidOutput(record, (text) => [text('type'), text('reason'), `lease.${text('type').toLowerCase()}`]),
    beginningOf: ({ summary }) => offsetIn(summary),
  };
}

function requestIdFaults({ headers, summary }: OutputRecord): string[] {
  const said = summary?.['requestId'] ?? undefined;
  const inHeader = headers && headerText(headers, 'flatline-request-id');
  if (headers === undefined || inHeader === said) return [];
  return [`its header says the request id ${inHeader ?? 'none'}, its value ${textOfField(said)}`];
}

function textOfField(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'none';
}

function offsetIn(fields: Fields | undefined): number {
  const token = numberIn(fields, 'token');
  return numberIn(fields, 'offset') ?? (token === undefined ? Number.NaN : (token % EPOCH_TOKENS) - 1);
}

function numberIn(fields: Fields | undefined, name: string): number | undefined {
  const value = fields?.[name];
  return typeof value === 'number' ? value : undefined;
}

function fieldsOf({ lease, ...others }: LeaseState): Fields {
  return { ...lease, ...others };
}
