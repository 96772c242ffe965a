// Which records of sessions may need room for state (I7).
import type { Millis } from '@flatline/base';
import type { InputEvent, InputRecord, PipelineRules } from '../../logs/history.ts';
import { HEARTBEAT } from '../../logs/json-event.ts';
import { HeldGaps } from '../held-gaps.ts';
import { isLateAlone, metBy, toldData } from './event-time.ts';
import { ENDED, eventOf, isPlain, openIn } from './naive-session.ts';
import { type Activity, isMuted, isOfSource, type Session } from './session-state.ts';

/** No time is held where producers stamp. */
const NONE_HELD = new HeldGaps({ unheardMs: 0, maxHoldMs: 0 });

/** True if it brings a part that a heartbeat lacks: types, remembered ids, attributes, sources. `state`: of its key, before it. */
export function needsRoom(
  record: InputRecord,
  state: Session | undefined,
  clock: Millis,
  rules: PipelineRules,
): boolean {
  const event = eventOf(record, rules);
  if (event === 'bad' || event?.type === ENDED) return false;
  if (state === undefined) return true;
  if (state.closed === undefined && opensAnother(record, event, state, rules)) return true;
  if (event === undefined || isMutedBy(record, event, state, clock, rules)) return false;
  if (rules.reducer !== undefined && record.value !== null) return true;
  const isRemembered = event.eventId !== undefined && rules.dedupeEventIds > 0;
  return event.type !== HEARTBEAT || isRemembered || event.attributes !== undefined || isOfSource(event, rules);
}

/** True if the record is of none of the key's open sessions (C7). */
function opensAnother(
  record: InputRecord,
  event: InputEvent | undefined,
  state: Session,
  rules: PipelineRules,
): boolean {
  // Data is of one that is there, and activity begins with what is early (S8).
  if (state.isEarly || isData(record, rules)) return false;
  return isByTime(state, rules) && metBy(openIn(state), rules, activityOf(record, event), NONE_HELD).length === 0;
}

/** True if the sessions that it is of have all the events that they take (S13). */
function isMutedBy(
  record: InputRecord,
  event: InputEvent,
  state: Session,
  clock: Millis,
  rules: PipelineRules,
): boolean {
  if (state.isEarly) return isMuted(event, state, rules);
  const activity = activityOf(record, event);
  if (isData(record, rules)) return isMuted(event, toldData(openIn(state), activity, NONE_HELD), rules);
  // Another begins the next session (S9).
  if (state.closed !== undefined && !isLateAlone(rules, activity, clock)) return false;
  const met = isByTime(state, rules) ? metBy(openIn(state), rules, activity, NONE_HELD) : [state];
  const eventCount = met.reduce((sum, session) => sum + session.eventCount, 0);
  return isMuted(event, { eventCount }, rules);
}

function isData({ input = 0 }: InputRecord, { inputs }: PipelineRules): boolean {
  return inputs?.[input]?.touches === false;
}

function isByTime(state: Session, { graceMs }: PipelineRules): boolean {
  return graceMs > 0 || !isPlain(state);
}

function activityOf({ timestamp, offset }: InputRecord, event: InputEvent | undefined): Activity {
  return { offset, effectiveAt: timestamp, occurredAt: timestamp, timestamp, event };
}
