// Two open sessions of a key that are one (C7), as docs/SPEC.md says it.
import type { PipelineRules } from '../../logs/history.ts';
import { inputOf } from '../../logs/places.ts';
import { type ReducedState, reducedOfBoth } from '../reducing/naive-reducer.ts';
import { joinedSpan, missingIn } from './sequence-span.ts';
import { counted, kept, type Session } from './session-state.ts';

/** Names of absorbed incarnations that a summary has. */
const ABSORBED_MAX = 16;

export function joinedSessions(a: Session, b: Session, rules: PipelineRules): Session {
  const [survivor, other] = a.firstOffset < b.firstOffset ? [a, b] : [b, a];
  const [earlier, later] = a.openedAt < b.openedAt ? [a, b] : [b, a];
  const [heardBefore, heardLast] = a.lastOffset < b.lastOffset ? [a, b] : [b, a];
  const { timeoutMs, timeoutChosen } = !later.timeoutChosen && earlier.timeoutChosen ? earlier : later;
  const absorbed = [...survivor.absorbed, ...other.absorbed, other.firstOffset];
  const isBeyond = absorbed.length > ABSORBED_MAX;
  const idsBefore = heardBefore.eventIds.filter((id) => !heardLast.eventIds.includes(id));
  const eventIds = [...idsBefore, ...heardLast.eventIds];
  const session: Session = {
    ...survivor,
    openedAt: earlier.openedAt,
    lastSeenAt: Math.max(a.lastSeenAt, b.lastSeenAt),
    timeoutMs,
    timeoutChosen,
    // The input is that on which the one that stays began (S8).
    lastOffset: isOfOneInput(survivor, heardLast) ? heardLast.lastOffset : survivor.lastOffset,
    toldAt: undefined,
    reduced: joinedReductions(earlier, later, rules),
    eventCount: a.eventCount + b.eventCount,
    duplicates: a.duplicates + b.duplicates,
    outOfOrder: a.outOfOrder + b.outOfOrder,
    startedAt: Math.min(a.startedAt, b.startedAt),
    lastEventAt: Math.max(a.lastEventAt, b.lastEventAt),
    truncated: a.truncated || b.truncated || isBeyond,
    hasTexts: a.hasTexts || b.hasTexts || isBeyond,
    hasSources: a.hasSources || b.hasSources,
    eventIds: rules.dedupeEventIds === 0 ? [] : eventIds.slice(-rules.dedupeEventIds),
    endedAt: later.endedAt ?? earlier.endedAt,
    absorbed: absorbed.slice(0, ABSORBED_MAX),
    sequence:
      earlier.sequence && later.sequence
        ? joinedSpan(earlier.sequence, later.sequence)
        : (earlier.sequence ?? later.sequence),
  };
  joinSources(session, { earlier, later, heardBefore, heardLast }, rules);
  for (const [type, count] of other.types) counted(session, type, count);
  for (const [name, attribute] of other.attributes) {
    const held = survivor.attributes.get(name);
    if (held?.at !== attribute.at || heardLast === other) kept(session, rules, name, attribute);
  }
  return session;
}

function isOfOneInput(a: Session, b: Session): boolean {
  return inputOf(a.firstOffset) === inputOf(b.firstOffset);
}

/** S10 */
function joinedReductions(earlier: Session, later: Session, { reducer }: PipelineRules): ReducedState | undefined {
  const [a, b] = [earlier.reduced, later.reduced];
  return a === undefined || b === undefined || reducer === undefined ? (a ?? b) : reducedOfBoth(reducer, a, b);
}

type Both = Readonly<Record<'earlier' | 'later' | 'heardBefore' | 'heardLast', Session>>;

function joinSources(session: Session, { earlier, later, heardBefore, heardLast }: Both, rules: PipelineRules): void {
  session.sources = undefined;
  session.missingOfForgotten = 0;
  if (earlier.sources === undefined && later.sources === undefined) return;
  const spanIn = (of: Session, name: string) => of.sources?.find((each) => each.name === name)?.span;
  const names = [...(heardBefore.sources ?? []), ...(heardLast.sources ?? [])].map(({ name }) => name);
  const inOrder = names.filter((name, i) => names.lastIndexOf(name) === i);
  const sources = inOrder.map((name) => {
    const [first, second] = [spanIn(earlier, name), spanIn(later, name)];
    return { name, span: first && second ? joinedSpan(first, second) : (first ?? second)! };
  });
  const forgotten = sources.splice(0, Math.max(0, sources.length - rules.maxSources));
  session.sources = sources;
  session.missingOfForgotten = forgotten.reduce(
    (sum, { span }) => Math.min(Number.MAX_SAFE_INTEGER, sum + missingIn(span)),
    Math.min(Number.MAX_SAFE_INTEGER, earlier.missingOfForgotten + later.missingOfForgotten),
  );
}
