import { latin1 } from './output.ts';
import type { Output } from './output.ts';

/** Outputs that a subscriber asks for: those of a key, or of all keys that begin so. */
export type Question =
  | { readonly by: 'key'; readonly bytes: Uint8Array; readonly text: string; readonly partition: number }
  /** An empty prefix: all. */
  | { readonly by: 'prefix'; readonly bytes: Uint8Array; readonly text: string };

export function keyQuestion(bytes: Uint8Array, partition: number): Question {
  return { by: 'key', bytes, text: latin1(bytes), partition };
}

export function prefixQuestion(bytes: Uint8Array): Question {
  return { by: 'prefix', bytes, text: latin1(bytes) };
}

/** The only partition that it hears; undefined: all. */
export function partitionOfQuestion(question: Question): number | undefined {
  return question.by === 'key' ? question.partition : undefined;
}

export function isAskedFor(question: Question, { key, partition }: Pick<Output, 'key' | 'partition'>): boolean {
  if (question.by === 'key') return question.partition === partition && question.text === key;
  return key.startsWith(question.text);
}
