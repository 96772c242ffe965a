// An output as routes see it: the names that `on` asks for, and the fields that pointers lead to.
import type { KindOutput } from '../contract.ts';
import type { Fields, SaidWords } from '../said-words.ts';

export interface SaidOutput {
  readonly names: readonly string[];
  readonly fields: Fields;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** undefined: it says nothing that could be routed: a tombstone, or a receipt of schedules. */
export function saidBy({ nameOf, fieldsOf = valueOf }: SaidWords, output: KindOutput): SaidOutput | undefined {
  if (output.value === null || output.topic !== undefined) return undefined;
  const fields = fieldsOf(output);
  if (fields === undefined) return undefined;
  const name = nameOf(fields);
  return { names: name === undefined ? [] : [...name.names, name.type], fields };
}

/** The pipeline's own encoder wrote it. */
function valueOf({ value }: KindOutput): Fields {
  return JSON.parse(utf8.decode(value ?? undefined)) as Fields;
}
