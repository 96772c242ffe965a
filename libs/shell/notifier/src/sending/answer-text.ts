// What is kept of an answer: little, and nothing that a terminal would obey (N5).

/** Bytes of an answer that are read. */
export const ANSWER_BYTES_MAX = 4_096;
/** Characters of it that are kept. */
const ANSWER_LENGTH_MAX = 256;

const utf8 = new TextDecoder();

export function answerText(bytes: Uint8Array): string {
  return Array.from(utf8.decode(bytes)).slice(0, ANSWER_LENGTH_MAX).join('');
}
