// How long a record of the output may become that a pipeline's limits allow.

export interface LargestOutput {
  /** A batch of the output with one record. */
  readonly outputBytes: number;
  /** The settings that it follows from. */
  readonly settings: Readonly<Record<string, number>>;
  /** One record of the output, in words. */
  readonly outputs: string;
  /** Bytes that a commit carries beside entries (`Kept`). Default: none. */
  readonly keptBytes?: number;
}

/** Three bytes each as UTF-8: no UTF-16 unit takes more. */
export const WIDE = characters(0x800, 64);
/** Six each in JSON, three times as many as in UTF-8: `\u000e`. */
export const CONTROL = characters(0x0e, 18);
/** Header of a batch, framing of a record, and its own headers. */
export const AROUND_BYTES = 1_024;

/** The longest key, as JSON has it. */
export function largestKey({ maxKeyBytes }: { readonly maxKeyBytes: number }): Uint8Array {
  return new Uint8Array(maxKeyBytes).fill(CONTROL.charCodeAt(0));
}

function characters(first: number, count: number): string {
  return String.fromCharCode(...Array.from({ length: count }, (_, i) => first + i));
}
