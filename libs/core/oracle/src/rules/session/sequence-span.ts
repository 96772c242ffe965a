// Sequence numbers of one source: those seen, and the number missing (S5, S6).

const WINDOW = 64;

export interface SequenceSpan {
  readonly lowest: number;
  readonly highest: number;
  /** Sequences seen within the window below the highest. */
  readonly seen: ReadonlySet<number>;
  readonly received: number;
  readonly missingBefore: number;
}

export const nothingSeen: SequenceSpan = { lowest: 0, highest: 0, seen: new Set(), received: 0, missingBefore: 0 };

export function missingIn({ missingBefore, highest, lowest, received }: SequenceSpan): number {
  return Math.min(Number.MAX_SAFE_INTEGER, missingBefore + (highest - lowest - received + 1));
}

/** undefined: seen before. */
export function withSequence(span: SequenceSpan, sequence: number, isStart: boolean): SequenceSpan | undefined {
  if (span.received === 0) return beginning(sequence, 0);
  if (sequence <= span.highest - WINDOW || (isStart && sequence < span.highest))
    return beginning(sequence, missingIn(span));
  if (span.seen.has(sequence)) return undefined;
  const lowest = Math.min(span.lowest, sequence);
  const highest = Math.max(span.highest, sequence);
  const seen = new Set(span.seen).add(sequence);
  for (const each of seen) if (each <= highest - WINDOW) seen.delete(each);
  return { ...span, lowest, highest, seen, received: span.received + 1 };
}

/** Two of one source, of sessions that are one (C7); `earlier`: of the one whose time comes first. */
export function joinedSpan(earlier: SequenceSpan, later: SequenceSpan): SequenceSpan {
  if (earlier.highest - later.lowest >= WINDOW)
    return { ...later, missingBefore: added(missingIn(earlier), later.missingBefore) };
  const lowest = Math.min(earlier.lowest, later.lowest);
  const highest = Math.max(earlier.highest, later.highest);
  const seen = new Set([...earlier.seen, ...later.seen].filter((each) => each > highest - WINDOW));
  const twice = [...seen].filter((each) => earlier.seen.has(each) && later.seen.has(each)).length;
  const received = Math.min(earlier.received + later.received - twice, highest - lowest + 1);
  return { lowest, highest, seen, received, missingBefore: added(earlier.missingBefore, later.missingBefore) };
}

function added(a: number, b: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, a + b);
}

function beginning(sequence: number, missingBefore: number): SequenceSpan {
  return { lowest: sequence, highest: sequence, seen: new Set([sequence]), received: 1, missingBefore };
}
