// Keeps little of an answer, and nothing that a terminal would obey (N5).

/** Bytes of an answer that are read. */
export const ANSWER_BYTES_MAX = 4_096;
/** Characters that are kept of it, or of what went wrong. */
const TEXT_LENGTH_MAX = 256;

const utf8 = new TextDecoder();

export function answerText(bytes: Uint8Array): string {
  return boundedText(utf8.decode(bytes));
}

export function boundedText(text: string): string {
  return Array.from(text).slice(0, TEXT_LENGTH_MAX).join('');
}
