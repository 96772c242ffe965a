import type { PipelineConfig } from '@flatline/config';
import { queryBytes } from '../directory/entry-paths.ts';
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

/** The key or prefix that a request subscribes to; in words: it is no subscription. A key may be any bytes, or none at all. */
export function askedIn(
  url: string,
  { name, input, output }: PipelineConfig,
): { readonly key: Uint8Array } | { readonly prefix: Uint8Array } | string {
  const [key, prefix] = [queryBytes(url, 'key'), queryBytes(url, 'prefix')];
  if (key !== undefined && prefix !== undefined) return 'key or prefix, not both; neither: all of the pipeline';
  if (output.format !== 'json')
    return `output.format of ${name} is "${output.format}": events are JSON. Read the topic ${output.topic}, or set "json"`;
  if (key === undefined) return { prefix: prefix ?? new Uint8Array(0) };
  return input.partitioner === 'any'
    ? `input.partitioner of ${name} is "any": a key may lie in any partition. Subscribe to prefix=, with the key`
    : { key };
}
