// What of a history can be judged where the changelog does not say by which settings its first commits were made: what follows,
// by the state that the changelog has then.
//
// Owns: where that begins.
// Does not own: by which settings each later stretch is judged (RulesInForce).
import type { PartitionHistory } from '../logs/history.ts';

/** The settings of the first commits are not said, those of later ones are: input offset and commit from which they are. */
export function firstKnown({ settings }: PartitionHistory): { from: number; sequence: number } | undefined {
  const [first] = settings ?? [];
  return first === undefined || first.sequence === 0 ? undefined : first;
}

/** The same history, its input from where the settings are known. */
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
