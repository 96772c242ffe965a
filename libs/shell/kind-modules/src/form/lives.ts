// Settings of kinds whose entries live until nothing is heard of them: sessions and leases.
import type { DurationMs } from '@flatline/base';
import type { HeldTimeRules } from '@flatline/kinds';
import { z } from 'zod';
import type { Problem } from './problem.ts';
import type { AnySection } from './section.ts';
import { duration, DURATION_MAX_MS, durationOrNone, setting } from './setting.ts';

export const LIFE_SETTINGS = {
  timeoutMs: setting(duration, 'The silence that ends a session (S1), from `minTimeoutMs` to `maxTimeoutMs`'),
  maxDurationMs: setting(duration.optional(), 'A session ends this long after its opening, whatever comes (S2)'),
  bucketMs: setting(
    durationOrNone.default(0),
    'Deadlines are rounded up to multiples of this (S2, L2); 0: not. Sessions with a grace have none',
  ),
  maxAttributes: setting(z.int().min(0).max(1_024).default(64), 'Attributes per session (S10)', 'attributes'),
  maxAttributeBytes: setting(
    z.int().min(0).max(65_536).default(8_192),
    'Names and values of a session together, in UTF-16 code units',
    'code units',
  ),
  unheardMs: setting(
    durationOrNone.optional(),
    "Gap in the log from which on none could be heard: the rest is held (C8). None: half of `timeoutMs`, or 0, which is off, where `timeoutMs` is below a second, where a session's `proofIntervalMs` is set to more than a twentieth of `timeoutMs`, and [where it cannot be on](OPERATIONS.md#what-an-outage-does). At most half of `timeoutMs`, at least 10 × `proofIntervalMs`, `LogAppendTime` only",
  ),
  maxHoldMs: setting(duration.default(600_000), 'Most of one gap that is held (C8)'),
};

/** A section with these settings. */
export interface LifeSection extends AnySection {
  readonly timeoutMs: DurationMs;
  readonly minTimeoutMs: DurationMs;
  readonly maxTimeoutMs: DurationMs;
  readonly maxDurationMs?: DurationMs | undefined;
  readonly maxAttributes: number;
  readonly maxAttributeBytes: number;
  readonly unheardMs?: DurationMs | undefined;
  readonly maxHoldMs: DurationMs;
}

/** Where nothing waits for a sign of life, no time is held. */
export const NO_HELD_TIME: HeldTimeRules = { unheardMs: 0, maxHoldMs: 600_000 };

export function heldTimeOf({ unheardMs = 0, maxHoldMs }: LifeSection): HeldTimeRules {
  return { unheardMs, maxHoldMs };
}

/** Rules that sessions and leases have in common. */
export function lifeRules({
  timeoutMs,
  minTimeoutMs,
  maxTimeoutMs,
  maxDurationMs,
  maxAttributes,
  maxAttributeBytes,
}: LifeSection): Pick<
  LifeSection,
  'timeoutMs' | 'minTimeoutMs' | 'maxTimeoutMs' | 'maxAttributes' | 'maxAttributeBytes'
> & {
  readonly maxDurationMs: DurationMs | undefined;
} {
  return { timeoutMs, minTimeoutMs, maxTimeoutMs, maxAttributes, maxAttributeBytes, maxDurationMs };
}

/** Where the timeout is shorter, unheard time would cost more clock records than it tells, and is off. */
const HEARD_TIMEOUT_MIN_MS = 1_000;
/** `unheardMs` holds so many `proofIntervalMs` at least: clock records come at a quarter of it, with room to be late. */
const PROOFS_PER_UNHEARD = 10;
/** Clock records come no more often than they do by default. */
const PROOF_INTERVAL_MAX_MS = 100;

type Written = Readonly<Record<string, unknown>>;

/** C8: an outage of the brokers is no silence of those who could not be heard. */
export function fillUnheard(pipeline: Record<string, unknown>): void {
  if (!isHeard(pipeline)) return;
  pipeline['unheardMs'] ??= Math.floor(Number(pipeline['timeoutMs']) / 2);
  const { unheardMs } = pipeline;
  if (typeof unheardMs !== 'number' || unheardMs === 0) return;
  pipeline['proofIntervalMs'] ??= Math.max(
    1,
    Math.min(PROOF_INTERVAL_MAX_MS, Math.floor(unheardMs / PROOFS_PER_UNHEARD)),
  );
}

/** True if the log can tell an outage from silence. */
export function isHeard({ timeoutMs, proof, input }: Written): boolean {
  const stamps = [input].flat().map((each) => (isObject(each) ? each['timestampType'] : undefined));
  if (proof === 'fetch' || stamps.includes('CreateTime')) return false;
  // From a timeout that is refused follows nothing: one problem would be said twice.
  return typeof timeoutMs === 'number' && timeoutMs >= HEARD_TIMEOUT_MIN_MS && timeoutMs <= DURATION_MAX_MS;
}

function isObject(value: unknown): value is Written {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if a pace of clock records is set by which unheard time, which is not set, could not show. */
export function isTooSlowForUnheard({ timeoutMs, unheardMs, proofIntervalMs }: Written): boolean {
  if (unheardMs !== undefined || typeof timeoutMs !== 'number' || typeof proofIntervalMs !== 'number') return false;
  return proofIntervalMs * PROOFS_PER_UNHEARD > Math.floor(timeoutMs / 2);
}

export function lifeProblems(section: LifeSection): Problem[] {
  return [...timeoutProblems(section), ...unheardProblems(section)];
}

function timeoutProblems({ timeoutMs, minTimeoutMs, maxTimeoutMs }: LifeSection): Problem[] {
  const involved = ['minTimeoutMs', 'maxTimeoutMs'];
  if (minTimeoutMs > maxTimeoutMs)
    return [
      { setting: 'minTimeoutMs', value: minTimeoutMs, problem: `at most maxTimeoutMs (${maxTimeoutMs})`, involved },
    ];
  if (timeoutMs >= minTimeoutMs && timeoutMs <= maxTimeoutMs) return [];
  const problem = `minTimeoutMs (${minTimeoutMs}) to maxTimeoutMs (${maxTimeoutMs})`;
  return [{ setting: 'timeoutMs', value: timeoutMs, problem, involved }];
}

/** Finds settings by which unheard time (C8) would end lives, or time that was heard would be held. */
function unheardProblems(section: LifeSection): Problem[] {
  const { unheardMs = 0, timeoutMs, proof, proofIntervalMs, input } = section;
  if (unheardMs === 0) return [];
  const found: Problem[] = [];
  if (unheardMs * 2 > timeoutMs) {
    const problem = `0, or at most half of timeoutMs (${timeoutMs}): so much of each gap counts as silence`;
    found.push({ setting: 'unheardMs', value: unheardMs, problem, involved: ['timeoutMs'] });
  }
  if (unheardMs < proofIntervalMs * PROOFS_PER_UNHEARD) found.push(tooFewProofs(section, unheardMs));
  if ([input].flat().some(({ timestampType }) => timestampType === 'CreateTime')) {
    const problem = '0 where timestampType is "CreateTime": gaps between the stamps of producers are no outages';
    found.push({ setting: 'unheardMs', value: unheardMs, problem, involved: ['input.timestampType'] });
  }
  if (proof === 'fetch') {
    const problem = `"record" with unheardMs (${unheardMs}), or unheardMs 0: unheard time needs clock records in the input`;
    found.push({ setting: 'proof', value: proof, problem, involved: ['unheardMs'] });
  }
  return found;
}

/** About the one of both settings that was set: `unheardMs` follows from the timeout where it is not (C8). */
function tooFewProofs({ timeoutMs, proofIntervalMs }: LifeSection, unheardMs: DurationMs): Problem {
  const most = Math.floor(unheardMs / PROOFS_PER_UNHEARD);
  if (unheardMs === Math.floor(timeoutMs / 2) && most > 0) {
    const problem = `at most ${most}, a tenth of unheardMs (${unheardMs}, half of timeoutMs): clock records come no faster; or set unheardMs to 0`;
    return { setting: 'proofIntervalMs', value: proofIntervalMs, problem, involved: ['unheardMs', 'timeoutMs'] };
  }
  const problem = `0, or at least ${PROOFS_PER_UNHEARD} times proofIntervalMs (${proofIntervalMs}): clock records come no faster`;
  return { setting: 'unheardMs', value: unheardMs, problem, involved: ['proofIntervalMs'] };
}
