// Finds the part of a history that can be judged where the changelog does not give the settings of its first commits: all that
// follows them, judged by the state that the changelog has then.
//
// Owns: where that part begins.
// Does not own: by which settings each later stretch is judged (RulesInForce).
import type { PartitionHistory } from '../logs/history.ts';

/** Returns the input offset and commit from which settings are known, where those of the first commits are not. */
export function firstKnown({ settings }: PartitionHistory): { from: number; sequence: number } | undefined {
  const [first] = settings ?? [];
  return first === undefined || first.sequence === 0 ? undefined : first;
}

/** Returns the same history, its input cut to begin where the settings are known. */
export function fromFirstKnown(history: PartitionHistory): PartitionHistory {
  const known = firstKnown(history);
  const { input, inputLogStart = input.logStart } = history;
  if (known === undefined || known.from <= input.logStart) return history;
  return {
    ...history,
    inputLogStart,
    input: {
      topic: input.topic,
      logStart: known.from,
      read: () => input.read(),
      hanging: () => input.hanging(),
    },
  };
}
