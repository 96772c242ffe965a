// What may be set of sessions, and what it comes to.
import { CHANGELOG_FORMAT_WITH_SOURCES } from '@flatline/base';
import type { SessionRules } from '@flatline/kinds';
import { z } from 'zod';
import {
  fillUnheard,
  heldTimeOf,
  isHeard,
  isTooSlowForUnheard,
  LIFE_SETTINGS,
  lifeProblems,
  lifeRules,
} from '../form/lives.ts';
import type { Problem } from '../form/problem.ts';
import { sectionForm } from '../form/section.ts';
import { duration, durationOrNone, setting } from '../form/setting.ts';
import type { OwnPart } from '../kind-module.ts';
import type { AnyPipeline } from '../pipeline.ts';

export interface SessionPipeline extends AnyPipeline {
  readonly kind: 'session';
  readonly rules: SessionRules;
}

const { timeoutMs, maxDurationMs, maxAttributes, maxAttributeBytes, unheardMs, maxHoldMs } = LIFE_SETTINGS;

export const sessionSection = sectionForm('session', {
  timeoutMs,
  minTimeoutMs: setting(duration.default(1), 'Least timeout an event may choose (S7); of leases 1000 if left out'),
  maxTimeoutMs: setting(
    duration.default(31_536_000_000),
    'Greatest timeout an event may choose (S7); of leases 86400000 if left out',
  ),
  maxDurationMs,
  dedupeEventIds: setting(z.int().min(0).max(1_024).default(16), '`eventId`s remembered per session (S5)', 'ids'),
  maxSources: setting(
    z.int().min(0).max(64).default(8),
    'Named sources whose sequences are told apart per session (S5); 0: all are the unnamed one, and so they are while `changelogFormat` is below 4',
    'sources',
  ),
  maxAttributes,
  maxAttributeBytes,
  revisionWindowMs: setting(durationOrNone.default(0), '_(later)_ S9'),
  graceMs: setting(durationOrNone.default(0), '_(later)_ C7'),
  unheardMs,
  maxHoldMs,
});

type SessionSection = z.output<typeof sessionSection>;

/**
 * Sessions once had no unheard time unless it was set, and a pace of clock records that is set for them is obeyed: they have
 * none where it would come too seldom to show an outage. Leases always had it: there it is an error.
 */
export function fillSession(written: Record<string, unknown>): void {
  if (!isTooSlowForUnheard(written)) fillUnheard(written);
}

export function sessionProblems(section: SessionSection): Problem[] {
  const { graceMs, maxDurationMs: longest } = section;
  const found = lifeProblems(section);
  if (graceMs > 0 && longest !== undefined) {
    const problem = 'not together with maxDurationMs (rule C7)';
    found.push({ setting: 'graceMs', value: graceMs, problem, involved: ['maxDurationMs'] });
  }
  // A setting that would be accepted and not obeyed is worse than an error.
  for (const later of ['revisionWindowMs', 'graceMs'] as const)
    if (section[later] !== 0)
      found.push({ setting: later, value: section[later], problem: 'is not available in this version; use 0' });
  return found;
}

export function sessionPart(section: SessionSection): OwnPart<SessionPipeline> {
  const { dedupeEventIds, maxSources, changelogFormat } = section;
  // A former build could not read what is kept of sources.
  const told = changelogFormat < CHANGELOG_FORMAT_WITH_SOURCES ? 0 : maxSources;
  return {
    kind: 'session',
    rules: { ...lifeRules(section), dedupeEventIds, maxSources: told },
    targets: [],
    heldTime: heldTimeOf(section),
    isPacedTooSlowly: isHeard({ ...section }) && isTooSlowForUnheard({ ...section }),
  };
}
