// Sequence numbers of one source: which were seen, and how many are missing (S5, S6).

const WINDOW = 64;

export interface SequenceSpan {
  readonly lowest: number;
  readonly highest: number;
  /** Those seen within the window below the highest. */
  readonly seen: ReadonlySet<number>;
  readonly received: number;
  readonly missingBefore: number;
}

export const nothingSeen: SequenceSpan = { lowest: 0, highest: 0, seen: new Set(), received: 0, missingBefore: 0 };

export function missingIn({ missingBefore, highest, lowest, received }: SequenceSpan): number {
  return Math.min(Number.MAX_SAFE_INTEGER, missingBefore + (highest - lowest - received + 1));
}

/** undefined: it was seen before. */
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

function beginning(sequence: number, missingBefore: number): SequenceSpan {
  return { lowest: sequence, highest: sequence, seen: new Set([sequence]), received: 1, missingBefore };
}
