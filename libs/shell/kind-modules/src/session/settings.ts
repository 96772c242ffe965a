// Settings of sessions, and the rules that they come to.
import {
  CHANGELOG_FORMAT_WITH_DISORDER,
  CHANGELOG_FORMAT_WITH_REDUCERS,
  CHANGELOG_FORMAT_WITH_REVISIONS,
  CHANGELOG_FORMAT_WITH_SOURCES,
  CHANGELOG_FORMAT_WITH_UPDATES,
} from '@flatline/base';
import type { SessionRules } from '@flatline/kinds/session';
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
import { REDUCED_SETTINGS, reducerFindings, reducerForm, stateReducer, unneededBound } from '../form/reducer.ts';
import { sectionForm } from '../form/section.ts';
import { duration, durationOrNone, setting } from '../form/setting.ts';
import type { Given, OwnPart } from '../kind-module.ts';
import type { AnyPipeline } from '../pipeline.ts';
import { statsForm, statsPart, statsProblems } from './stats-settings.ts';
import { fillPreset, PRESET_NAMES, TIMEOUT_MAX_MS, withPreset } from './presets.ts';

export interface SessionPipeline extends AnyPipeline {
  readonly kind: 'session';
  readonly rules: SessionRules;
}

const { maxDurationMs, bucketMs, maxAttributes, maxAttributeBytes, unheardMs, maxHoldMs } = LIFE_SETTINGS;

export const sessionSection = sectionForm('session', {
  preset: setting(
    z.enum(PRESET_NAMES).optional(),
    'Fills in what is left out of `timeoutMs`, `minTimeoutMs`, `maxTimeoutMs` and `maxDurationMs`: [presets](PRESETS.md)',
  ),
  timeoutMs: setting(
    duration,
    'The silence that ends a session (S1), from `minTimeoutMs` to `maxTimeoutMs`; may be left out beside a `preset`',
    { orSetting: 'preset' },
  ),
  minTimeoutMs: setting(duration.default(1), 'Least timeout an event may choose (S7); of leases 1000 if left out'),
  maxTimeoutMs: setting(
    duration.default(TIMEOUT_MAX_MS),
    'Greatest timeout an event may choose (S7); of leases 86400000 if left out',
  ),
  maxDurationMs,
  bucketMs,
  dedupeEventIds: setting(z.int().min(0).max(1_024).default(16), '`eventId`s remembered per session (S5)', 'ids'),
  maxSources: setting(
    z.int().min(0).max(64).default(8),
    'Named sources whose sequences are told apart per session (S5); 0: all are the unnamed one, and so they are while `changelogFormat` is below 4',
    'sources',
  ),
  maxEvents: setting(
    z
      .int()
      .min(1)
      .max(2 ** 32 - 1)
      .optional(),
    'What comes beyond so many is taken as a bare heartbeat, and the summary is `capped` (S13)',
    'events',
  ),
  updateIntervalMs: setting(
    duration.optional(),
    'A touch so long after a session was last told of tells of it (S11), where `emit` has `"updated"`. None: a minute',
  ),
  reducer: setting(
    reducerForm(['custom']).optional(),
    'What the events of a session, or the items of a window, come to (S10): [built-in parts, or functions of your own](REDUCERS.md), `"custom"` where the processor is embedded. Windows also have `"all"`, which is their default, `"first"`, `"last"` and `"count"`: what a batch shows of its items (B3)',
  ),
  ...REDUCED_SETTINGS,
  maxAttributes,
  maxAttributeBytes,
  revisionWindowMs: setting(
    durationOrNone.default(0),
    'So long after its close a session may be revised: its summary is said again, and its tombstone waits (S9). By what comes late (`late: "revise"`), or by an input with `touches: false`. 0: it is final at once',
  ),
  graceMs: setting(
    durationOrNone.default(0),
    'Sessions by event time: so long after its deadline one closes, and till then takes what comes late (C7). `CreateTime` only, not with `maxDurationMs`. Choose it by `flatline_lateness_seconds`',
  ),
  late: setting(
    z.enum(['deadLetter', 'revise', 'drop']).default('deadLetter'),
    'What becomes of a record that comes later (C7); `revise`: it revises the closed session of its time, and is a dead letter where none waits (S9)',
  ),
  stats: statsForm.optional(),
  unheardMs,
  maxHoldMs,
});

type SessionSection = z.output<typeof sessionSection>;

/**
 * Sessions once had no unheard time unless it was set, and a pace of clock records that is set for them is obeyed: they have
 * none where it would come too seldom to show an outage. Leases always had it: there it is an error.
 */
export function fillSession(written: Record<string, unknown>): void {
  fillPreset(written);
  if (!isTooSlowForUnheard(written)) fillUnheard(written);
}

export function sessionProblems(section: SessionSection, given: Given): Problem[] {
  return withPreset(section, [
    ...lifeProblems(section),
    ...graceProblems(section),
    ...tellingProblems(section),
    ...revisionProblems(section),
    ...statsProblems(section),
    ...reducerProblems(section, given),
  ]);
}

/** Finds settings by which a session would wait for revisions that cannot come, or be revised without waiting (S9). */
function revisionProblems({ revisionWindowMs, late, graceMs, input, changelogFormat }: SessionSection): Problem[] {
  if (revisionWindowMs === 0) {
    if (late !== 'revise' || graceMs === 0) return [];
    const problem = 'needs revisionWindowMs: without one no closed session waits for what comes late (rule S9)';
    return [{ setting: 'late', value: late, problem, involved: ['revisionWindowMs'] }];
  }
  const found: Problem[] = [];
  const refuse = (problem: string, ...involved: string[]): void => {
    found.push({ setting: 'revisionWindowMs', value: revisionWindowMs, problem, involved });
  };
  if (graceMs > 0 && late !== 'revise')
    refuse(
      `needs late: "revise" beside graceMs: with "${late}" nothing revises a session (rule S9)`,
      'late',
      'graceMs',
    );
  if (graceMs === 0 && [input].flat().every(({ touches }) => touches))
    refuse(
      '0 where nothing comes late: revisions need graceMs and late: "revise", or an input with touches: false (rule S9)',
      'graceMs',
      'input.touches',
    );
  if (changelogFormat < CHANGELOG_FORMAT_WITH_REVISIONS)
    refuse(
      `0 where changelogFormat is ${changelogFormat}: ${CHANGELOG_FORMAT_WITH_REVISIONS} is the first with closed sessions that wait`,
      'changelogFormat',
    );
  return found;
}

/** Finds settings with which sessions are not of event time, or not kept (C7). */
function graceProblems(section: SessionSection): Problem[] {
  const { graceMs, maxDurationMs: longest, bucketMs: bucket, input, changelogFormat, late } = section;
  if (graceMs === 0) {
    if (late === 'deadLetter') return [];
    const problem = 'needs graceMs: without one no record is late (rule C7)';
    return [{ setting: 'late', value: late, problem, involved: ['graceMs'] }];
  }
  const found: Problem[] = [];
  const refuse = (problem: string, other: string): void => {
    found.push({ setting: 'graceMs', value: graceMs, problem, involved: [other] });
  };
  if (bucket > 0) {
    const problem = '0 with graceMs: which sessions are one goes by their own deadlines (rule C7)';
    found.push({ setting: 'bucketMs', value: bucket, problem, involved: ['graceMs'] });
  }
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

/** Finds settings by which what is told of live sessions would not be heard, or not be kept (S11). */
function tellingProblems({ emit, updateIntervalMs, graceMs, changelogFormat }: SessionSection): Problem[] {
  const found: Problem[] = [];
  const isUpdated = emit.includes('updated');
  if (!emit.includes('closed'))
    found.push({
      setting: 'emit',
      value: emit,
      problem: 'without "closed" the end of a session is never said: add it',
    });
  if (updateIntervalMs !== undefined && !isUpdated) {
    const problem = 'says nothing unless emit has "updated" (rule S11)';
    found.push({ setting: 'updateIntervalMs', value: updateIntervalMs, problem, involved: ['emit'] });
  }
  if (isUpdated && changelogFormat < CHANGELOG_FORMAT_WITH_UPDATES) {
    const problem = `"updated" needs changelogFormat ${CHANGELOG_FORMAT_WITH_UPDATES}, which has when a session was told of`;
    found.push({ setting: 'emit', value: emit, problem, involved: ['changelogFormat'] });
  }
  if (graceMs > 0 && emit.some((said) => said !== 'closed')) {
    const problem = 'is not available together with graceMs in this version';
    found.push({ setting: 'emit', value: emit, problem, involved: ['graceMs'] });
  }
  return found;
}

/** Finds a reducer that would not be obeyed (S10). */
function reducerProblems(section: SessionSection, { reducers }: Given): Problem[] {
  const { name, reducer, maxReducedBytes, changelogFormat, output } = section;
  if (reducer === undefined) {
    const found = unneededBound({ maxReducedBytes });
    if (!Object.hasOwn(reducers, name)) return found;
    const problem = '"custom": the application gives a reducer for this pipeline';
    return [...found, { setting: 'reducer', value: reducer, problem }];
  }
  const given = { name, reducer, maxReducedBytes };
  const found = reducerFindings(given, reducers);
  const refuse = (problem: string, other: string): void => {
    found.push({ setting: 'reducer', value: reducer, problem, involved: [other] });
  };
  if (changelogFormat < CHANGELOG_FORMAT_WITH_REDUCERS)
    refuse(
      `needs changelogFormat ${CHANGELOG_FORMAT_WITH_REDUCERS}, which has what a session came to`,
      'changelogFormat',
    );
  const result = found.length > 0 ? undefined : stateReducer(given, reducers)?.result.text;
  if (output.format === 'avro' && result?.includes('"name":"SessionSummary"') === true)
    refuse('no type of its result is named SessionSummary, as the record around it is', 'output.format');
  return found;
}

/** Default of `updateIntervalMs`. */
const UPDATE_INTERVAL_MS = 60_000;

export function sessionPart(section: SessionSection, { reducers }: Given): OwnPart<SessionPipeline> {
  const { dedupeEventIds, maxSources, changelogFormat, graceMs, late, revisionWindowMs, maxEvents, emit } = section;
  const { name, maxReducedBytes, bucketMs: bucket } = section;
  const reducer = section.reducer && stateReducer({ name, maxReducedBytes, reducer: section.reducer }, reducers);
  // A former build could not read what is kept of sources.
  const { stats, targets } = statsPart(section);
  const told = changelogFormat < CHANGELOG_FORMAT_WITH_SOURCES ? 0 : maxSources;
  return {
    kind: 'session',
    rules: {
      ...lifeRules(section),
      dedupeEventIds,
      maxSources: told,
      maxEvents,
      sayOpened: emit.includes('opened'),
      updateIntervalMs: emit.includes('updated') ? (section.updateIntervalMs ?? UPDATE_INTERVAL_MS) : undefined,
      // Left out where there are none: the settings in the changelog are those that they were.
      ...(bucket > 0 && { bucketMs: bucket }),
      graceMs,
      late,
      // Left out where there is none: the settings in the changelog are those that they were.
      ...(revisionWindowMs > 0 && { revisionWindowMs }),
      // Left out where there are none: the text of the settings stays what it was (K1).
      ...(stats && { stats }),
      // Sessions without a reducer have the settings that they always had.
      ...(reducer && { reducer }),
    },
    targets,
    heldTime: heldTimeOf(section),
    isPacedTooSlowly: isHeard({ ...section }) && isTooSlowForUnheard({ ...section }),
  };
}
