/** A broken assumption of our own. Nothing may catch it to go on with the state it was found in: its partition stops (I6). */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
  readonly facts: Readonly<Record<string, unknown>>;
  constructor(message: string, facts: Readonly<Record<string, unknown>>) {
    super(Object.keys(facts).length === 0 ? message : `${message} ${JSON.stringify(facts)}`);
    this.facts = facts;
  }
}

/** Stays on in production: a wrong answer costs more than the comparison. */
export function assert(
  condition: boolean,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): asserts condition {
  if (!condition) throw new AssertionError(message, facts);
}
