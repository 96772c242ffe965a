// Keys as they are pressed, from a terminal that does not wait for a whole line.

/** A named key, or the character that it types. */
export type Key = string;

const NAMED: Readonly<Record<string, Key>> = {
  '\x1b[A': 'up',
  '\x1b[B': 'down',
  '\x1b[C': 'right',
  '\x1b[D': 'left',
  // The same while the terminal is in application mode.
  '\x1bOA': 'up',
  '\x1bOB': 'down',
  '\x1bOC': 'right',
  '\x1bOD': 'left',
  '\x1b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\x03': 'interrupt',
};
// eslint-disable-next-line no-control-regex -- keys are control characters
const SEQUENCE = /\x1b(?:[[O][0-9;]*[A-Za-z~])?|[^]/gu;

/** A terminal sends a key's bytes at once; several keys in haste may come together. What is none of ours has no name. */
export function keysIn(typed: string): readonly Key[] {
  const found = typed.match(SEQUENCE) ?? [];
  return found.map((text) => NAMED[text] ?? text).filter((key) => !key.startsWith('\x1b'));
}

/** The part of a terminal's input that is needed; `process.stdin` is one. */
export interface KeyInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  setRawMode?(on: boolean): unknown;
}

/** Hands on keys until the returned function is called, which gives the terminal back. Nothing where it is no terminal. */
export function onKeys(input: KeyInput, hear: (key: Key) => void): () => void {
  if (input.isTTY !== true) return () => undefined;
  const listen = (typed: Buffer | string): void => {
    keysIn(typed.toString()).forEach(hear);
  };
  input.setRawMode?.(true);
  input.on('data', listen);
  input.resume();
  return () => {
    input.off('data', listen);
    input.pause();
    input.setRawMode?.(false);
  };
}
