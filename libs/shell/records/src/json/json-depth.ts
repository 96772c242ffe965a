const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `{` and `}` are `[` and `]` with this bit. */
const CURLY = 0x20;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;

/** True if the text of a JSON value opens more than `most` objects and arrays within each other. Takes no stack. */
export function isNestedBeyond(bytes: Uint8Array, start: number, end: number, most: number): boolean {
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = stringEnd(bytes, at, end);
    else if ((byte & ~CURLY) === BRACKET_OPEN) {
      depth += 1;
      if (depth > most) return true;
    } else if ((byte & ~CURLY) === BRACKET_CLOSE) depth -= 1;
  }
  return false;
}

/** Place of the closing quote. */
function stringEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start + 1;
  for (; at < end && bytes[at] !== QUOTE; at += 1) if (bytes[at] === BACKSLASH) at += 1;
  return at;
}
