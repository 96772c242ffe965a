// Settings that are of one kind only, and defaults that depend on the kind.
import { WINDOW_ITEMS_MAX } from '@flatline/kinds';
import { plainCopy } from './plain-copy.ts';
import type { PipelineSection } from './schema.ts';

export const LEASE_SETTINGS = ['bucketMs', 'onConflict', 'maxWaiters', 'lockDelayMs', 'tokenEpoch'] as const;
export const SCHEDULE_SETTINGS = [
  'maxHorizonMs',
  'minEveryMs',
  'missed',
  'maxCatchUp',
  'catchUpWindowMs',
  'receipts',
  'maxMessageBytes',
  'maxSchedulesPerKey',
  'targets',
  'maxDuePerSecond',
] as const;
const SESSION_SETTINGS = ['dedupeEventIds', 'maxSources', 'revisionWindowMs', 'graceMs'] as const;
const DEBOUNCE_SETTINGS = [
  'mode',
  'waitMs',
  'maxWaitMs',
  'maxItems',
  'maxBytes',
  'onOversize',
  'dedupeBy',
  'reducer',
] as const;
/** Settings common to sessions and leases. */
const TIMEOUT_SETTINGS = [
  'timeoutMs',
  'minTimeoutMs',
  'maxTimeoutMs',
  'maxDurationMs',
  'maxAttributes',
  'maxAttributeBytes',
  'unheardMs',
  'maxHoldMs',
] as const;

type Kind = PipelineSection['kind'];

/** Which settings belong to which kinds only. */
const OWNED: readonly { readonly by: readonly Kind[]; readonly settings: readonly (keyof typeof UNSET)[] }[] = [
  { by: ['session'], settings: SESSION_SETTINGS },
  { by: ['lease'], settings: LEASE_SETTINGS },
  { by: ['session', 'lease'], settings: TIMEOUT_SETTINGS },
  { by: ['debounce'], settings: DEBOUNCE_SETTINGS },
  { by: ['schedule'], settings: SCHEDULE_SETTINGS },
];

/** Stands where a kind has no timeout: the longest that there may be by default. */
const NO_TIMEOUT_MS = 31_536_000_000;

/** Their values in a pipeline of another kind: the defaults. */
const UNSET = {
  bucketMs: 0,
  onConflict: 'reject',
  maxWaiters: 16,
  lockDelayMs: 0,
  tokenEpoch: 0,
  dedupeEventIds: 16,
  maxSources: 8,
  revisionWindowMs: 0,
  graceMs: 0,
  mode: 'trailing',
  waitMs: undefined,
  maxWaitMs: undefined,
  maxItems: WINDOW_ITEMS_MAX,
  maxBytes: undefined,
  onOversize: 'flush',
  dedupeBy: undefined,
  reducer: 'all',
  maxHorizonMs: 315_360_000_000,
  minEveryMs: 100,
  missed: 'once',
  maxCatchUp: 1_000,
  catchUpWindowMs: 31_536_000_000,
  receipts: 'none',
  maxMessageBytes: 65_536,
  maxSchedulesPerKey: 64,
  targets: undefined,
  maxDuePerSecond: undefined,
  timeoutMs: NO_TIMEOUT_MS,
  minTimeoutMs: 1,
  maxTimeoutMs: NO_TIMEOUT_MS,
  maxDurationMs: undefined,
  maxAttributes: 64,
  maxAttributeBytes: 8_192,
  unheardMs: undefined,
  maxHoldMs: 600_000,
} as const satisfies Partial<PipelineSection>;

/** As in ZooKeeper and etcd: shorter ones cost more than they tell, and what is held for longer is no lease. */
const LEASE_TIMEOUT_MIN_MS = 1_000;
const LEASE_TIMEOUT_MAX_MS = 86_400_000;
/** Where the timeout is shorter, unheard time would cost more clock records than it tells, and is off. */
const HEARD_TIMEOUT_MIN_MS = 1_000;
/** Clock records come ten times within what is heard (cross-checks.ts), and no more often than they do by default. */
const PROOFS_PER_UNHEARD = 10;
const PROOF_INTERVAL_MAX_MS = 100;

/** A copy of `root` with what is left out of a pipeline and does not have the same default in each kind. */
export function withKindDefaults(root: unknown): unknown {
  const copy = plainCopy(root);
  const pipelines: unknown = isSection(copy) ? copy['pipelines'] : undefined;
  if (Array.isArray(pipelines)) for (const pipeline of pipelines) if (isSection(pipeline)) fill(pipeline);
  return copy;
}

const FILL: Readonly<Record<Kind, (pipeline: Record<string, unknown>) => void>> = {
  session: fillUnheard,
  lease: fillLease,
  debounce: fillWithoutLives,
  schedule: fillWithoutLives,
};

function fill(pipeline: Record<string, unknown>): void {
  const { kind } = pipeline;
  if (isKind(kind)) FILL[kind](pipeline);
  // No timeout is missed where it is not known whether there should be one: the kind is wrong, and that is said.
  else pipeline['timeoutMs'] ??= NO_TIMEOUT_MS;
}

function isKind(kind: unknown): kind is Kind {
  return typeof kind === 'string' && Object.hasOwn(FILL, kind);
}

/** A batch or a run is a record of its own: nothing stands for what has gone. */
function fillWithoutLives(pipeline: Record<string, unknown>): void {
  pipeline['timeoutMs'] ??= NO_TIMEOUT_MS;
  const { output } = pipeline;
  if (isSection(output)) output['tombstones'] ??= false;
}

function fillLease(pipeline: Record<string, unknown>): void {
  pipeline['minTimeoutMs'] ??= LEASE_TIMEOUT_MIN_MS;
  pipeline['maxTimeoutMs'] ??= LEASE_TIMEOUT_MAX_MS;
  fillUnheard(pipeline);
}

/** C8: an outage of the brokers is no silence of those who could not be heard. */
function fillUnheard(pipeline: Record<string, unknown>): void {
  const { timeoutMs } = pipeline;
  if (!isHeard(pipeline) || isPacedTooSlowly(pipeline)) return;
  pipeline['unheardMs'] ??= Math.floor(Number(timeoutMs) / 2);
  const { unheardMs } = pipeline;
  if (typeof unheardMs !== 'number' || unheardMs === 0) return;
  pipeline['proofIntervalMs'] ??= Math.max(
    1,
    Math.min(PROOF_INTERVAL_MAX_MS, Math.floor(unheardMs / PROOFS_PER_UNHEARD)),
  );
}

/** True if the log can tell an outage from silence. */
export function isHeard({ timeoutMs, proof, input }: Readonly<Record<string, unknown>>): boolean {
  const stamps = [input].flat().map((each) => (isSection(each) ? each['timestampType'] : undefined));
  if (proof === 'fetch' || stamps.includes('CreateTime')) return false;
  return typeof timeoutMs === 'number' && timeoutMs >= HEARD_TIMEOUT_MIN_MS;
}

/**
 * Sessions once had no unheard time unless it was set, and a pace of clock records that is set for them is obeyed: they have
 * none where it would come too seldom to show an outage. Leases always had it: there it is an error.
 */
export function isPacedTooSlowly(pipeline: Readonly<Record<string, unknown>>): boolean {
  const { kind, timeoutMs, unheardMs, proofIntervalMs } = pipeline;
  if (kind !== 'session' || unheardMs !== undefined) return false;
  if (typeof timeoutMs !== 'number' || typeof proofIntervalMs !== 'number') return false;
  return proofIntervalMs * PROOFS_PER_UNHEARD > Math.floor(timeoutMs / 2);
}

/** A setting that would be accepted and not obeyed is worse than an error. */
export function foreignSettings(
  pipeline: PipelineSection,
): { readonly setting: string; readonly value: unknown; readonly problem: string }[] {
  return OWNED.filter(({ by }) => !by.includes(pipeline.kind)).flatMap(({ by, settings }) =>
    settings
      .filter((setting) => pipeline[setting] !== UNSET[setting])
      .map((setting) => ({
        setting,
        value: pipeline[setting],
        problem: `is a setting of ${by.map((kind) => `"${kind}"`).join(' and ')} pipelines; leave it out`,
      })),
  );
}

function isSection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
