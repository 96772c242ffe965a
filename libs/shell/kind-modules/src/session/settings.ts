// What may be set of sessions, and what it comes to.
import { CHANGELOG_FORMAT_WITH_DISORDER, CHANGELOG_FORMAT_WITH_SOURCES } from '@flatline/base';
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
  graceMs: setting(
    durationOrNone.default(0),
    'Sessions by event time: so long after its deadline one closes, and till then takes what comes late (C7). `CreateTime` only, not with `maxDurationMs`. Choose it by `flatline_lateness_seconds`',
  ),
  late: setting(
    z.enum(['deadLetter', 'revise', 'drop']).default('deadLetter'),
    'What becomes of a record that comes later (C7); `revise` _(later)_, S9',
  ),
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
  const { revisionWindowMs } = section;
  const found = [...lifeProblems(section), ...graceProblems(section)];
  // A setting that would be accepted and not obeyed is worse than an error.
  if (revisionWindowMs !== 0) {
    const problem = 'is not available in this version; use 0';
    found.push({ setting: 'revisionWindowMs', value: revisionWindowMs, problem });
  }
  return found;
}

/** Finds settings with which sessions are not of event time, or not kept (C7). */
function graceProblems(section: SessionSection): Problem[] {
  const { graceMs, maxDurationMs: longest, input, changelogFormat, late } = section;
  if (late === 'revise') {
    const problem = 'is not available in this version: it needs revisions (rule S9); use "deadLetter" or "drop"';
    return [{ setting: 'late', value: late, problem }];
  }
  if (graceMs === 0) {
    if (late === 'deadLetter') return [];
    const problem = 'needs graceMs: without one no record is late (rule C7)';
    return [{ setting: 'late', value: late, problem, involved: ['graceMs'] }];
  }
  const found: Problem[] = [];
  const refuse = (problem: string, other: string): void => {
    found.push({ setting: 'graceMs', value: graceMs, problem, involved: [other] });
  };
  if (longest !== undefined) refuse('not together with maxDurationMs (rule C7)', 'maxDurationMs');
  if ([input].flat().some(({ timestampType }) => timestampType === 'LogAppendTime'))
    refuse(
      '0 where timestampType is "LogAppendTime": the broker stamps records in their order. Set input.timestampType, and the ' +
        'topic\'s message.timestamp.type, to "CreateTime" if producers stamp them by event time (rule C7)',
      'input.timestampType',
    );
  if (changelogFormat < CHANGELOG_FORMAT_WITH_DISORDER)
    refuse(
      `0 where changelogFormat is ${changelogFormat}: ${CHANGELOG_FORMAT_WITH_DISORDER} is the first with several open sessions of a key`,
      'changelogFormat',
    );
  return found;
}

export function sessionPart(section: SessionSection): OwnPart<SessionPipeline> {
  const { dedupeEventIds, maxSources, changelogFormat, graceMs } = section;
  // "revise" is refused (`sessionProblems`).
  const late = section.late === 'drop' ? 'drop' : 'deadLetter';
  // A former build could not read what is kept of sources.
  const told = changelogFormat < CHANGELOG_FORMAT_WITH_SOURCES ? 0 : maxSources;
  return {
    kind: 'session',
    rules: { ...lifeRules(section), dedupeEventIds, maxSources: told, graceMs, late },
    targets: [],
    heldTime: heldTimeOf(section),
    isPacedTooSlowly: isHeard({ ...section }) && isTooSlowForUnheard({ ...section }),
  };
}
