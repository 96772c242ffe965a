// How the outputs of a kind are called: by webhooks, by whoever asks for some of them (`on`), and one by one.
import type { KindOutput } from './contract.ts';

/** An output's fields, by the names of docs/FORMATS.md. */
export type Fields = Readonly<Record<string, unknown>>;

export interface OutputName {
  /** Its type, as webhooks have it: `session.closed`. */
  readonly type: string;
  /** Reasons and types, as the output says them. */
  readonly names: readonly string[];
}

/** Each kind has one, and its module in the shell says which. */
export interface SaidWords {
  /** All types and names that its outputs may have. */
  readonly all: readonly string[];
  /** undefined: they are no output of the kind. */
  readonly nameOf: (fields: Fields) => OutputName | undefined;
  /**
   * Names it among the outputs of its pipeline, for good; undefined: they are no output of the kind. Default: nothing names it but the
   * place where it lies.
   */
  readonly idOf?: (fields: Fields) => readonly (string | number)[] | undefined;
  /** Where fields are not the members of the value. undefined: the record is no output that is told of. */
  readonly fieldsOf?: (output: KindOutput) => Fields | undefined;
}

/** Keeps the texts that are not empty. */
export function texts(...values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === 'string' && value !== '') as string[];
}
