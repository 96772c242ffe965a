// Texts of two open sessions of a key that turn out to be one (C7): event ids, types, attributes and sources.
import { COUNT_MAX, MISSING_MAX } from './counts.ts';
import { OTHER_TYPE, TYPES_MAX } from './apply-event.ts';
import type { SessionRules } from './entry.ts';
import { joinWindows } from './joined-windows.ts';
import { missingCount } from './sequence-window.ts';
import { type SessionSources, setSources, sourcesOf } from './sources.ts';
import { blankTexts, type SessionTexts, type TimedValue } from './texts.ts';

/** Two sessions, in one order or another. */
export interface Pair<Part> {
  readonly first: Part;
  readonly second: Part;
}

/** The texts of both, by what the sessions are to each other; undefined: it has none. */
export interface JoinedOf {
  /** The survivor's first. */
  readonly kept: Pair<SessionTexts | undefined>;
  /** The one whose time comes first, first. */
  readonly inTime: Pair<SessionTexts | undefined>;
  /** The one least recently heard first. */
  readonly heard: Pair<SessionTexts | undefined>;
}

export interface JoinedTexts {
  readonly texts: SessionTexts | undefined;
  /** Sources that were forgotten for others. */
  readonly forgottenSources: number;
}

export function joinTexts(of: JoinedOf, rules: SessionRules): JoinedTexts {
  const { first, second } = of.kept;
  if (first === undefined && second === undefined) return { texts: undefined, forgottenSources: 0 };
  const texts = blankTexts();
  texts.truncated = first?.truncated === true || second?.truncated === true;
  const forgottenSources = joinSources(texts, of, rules);
  for (const id of joinedIds(of.heard, rules)) texts.addEventId(id);
  for (const [type, count] of joinedTypes(texts, of.kept)) texts.addType(type, count);
  const isLaterHeard = of.heard.second === second;
  for (const [name, { value, at }] of joinedAttributes(texts, of.kept, rules, isLaterHeard))
    texts.addAttribute(name, value, at);
  return { texts, forgottenSources };
}

/** The last ones; one that both have is as recent as in the session heard later. */
function joinedIds({ first, second }: Pair<SessionTexts | undefined>, { dedupeEventIds }: SessionRules): string[] {
  const later = second?.eventIds() ?? [];
  const earlier = first?.eventIds() ?? [];
  const ids = [...earlier.filter((id) => !later.includes(id)), ...later];
  return dedupeEventIds === 0 ? [] : ids.slice(-dedupeEventIds);
}

function joinedTypes(texts: SessionTexts, { first, second }: Pair<SessionTexts | undefined>): Map<string, number> {
  const types = first?.countsByType() ?? new Map<string, number>();
  for (const [type, count] of second?.countsByType() ?? []) {
    const isBeyond = !types.has(type) && types.size >= TYPES_MAX;
    if (isBeyond) texts.truncated = true;
    const counted = isBeyond ? OTHER_TYPE : type;
    types.set(counted, Math.min((types.get(counted) ?? 0) + count, COUNT_MAX));
  }
  return types;
}

/** Last write wins by event time; of two at one instant, that of the session heard later. */
function joinedAttributes(
  texts: SessionTexts,
  { first, second }: Pair<SessionTexts | undefined>,
  { maxAttributes, maxAttributeBytes }: SessionRules,
  isLaterHeard: boolean,
): Map<string, TimedValue> {
  const attributes = first?.attributes() ?? new Map<string, TimedValue>();
  let length = first?.attributeLength ?? 0;
  for (const [name, attribute] of second?.attributes() ?? []) {
    const held = attributes.get(name);
    if (held !== undefined && (held.at > attribute.at || (held.at === attribute.at && !isLaterHeard))) continue;
    const grown = length + attribute.value.length - (held === undefined ? -name.length : held.value.length);
    if (grown > maxAttributeBytes || (held === undefined && attributes.size >= maxAttributes)) {
      texts.truncated = true;
      continue;
    }
    attributes.set(name, attribute);
    length = grown;
  }
  return attributes;
}

/** Returns how many were forgotten. */
function joinSources(texts: SessionTexts, { heard, inTime }: JoinedOf, { maxSources }: SessionRules): number {
  const [early, late] = [heard.first, heard.second].map((each) => each && sourcesOf(each));
  if (early === undefined && late === undefined) return 0;
  const joined = unitedSources(early, late, heard.first === inTime.first);
  let forgotten = 0;
  for (const [name, window] of joined.windows) {
    if (joined.windows.size <= maxSources) break;
    joined.missing = Math.min(joined.missing + missingCount(window), MISSING_MAX);
    joined.windows.delete(name);
    forgotten += 1;
  }
  setSources(texts, joined);
  return forgotten;
}

function unitedSources(
  early: SessionSources | undefined,
  late: SessionSources | undefined,
  isEarlyFirst: boolean,
): SessionSources {
  const windows = new Map(early?.windows);
  for (const [name, window] of late?.windows ?? []) {
    const other = windows.get(name);
    windows.delete(name);
    if (other === undefined) windows.set(name, window);
    else windows.set(name, isEarlyFirst ? joinWindows(other, window) : joinWindows(window, other));
  }
  return { missing: Math.min((early?.missing ?? 0) + (late?.missing ?? 0), MISSING_MAX), windows };
}
