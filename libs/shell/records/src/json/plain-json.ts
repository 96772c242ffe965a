// Recognizes JSON where that is quickly seen: ASCII, without escapes, not deeply nested, as programs write most values.
//
// False is no verdict: bytes that are not plain are left to JSON.parse, which accepts all that this accepts. Bytes are read in
// place, without a string of the whole and an object to throw away.
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BRACKET_OPEN = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_CLOSE = 0x5d;
const LOWER_E = 0x65;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
/** To lower case. */
const CASE = 0x20;
const SPACE = 0x20;
const ASCII_END = 0x80;
const LITERALS = ['true', 'false', 'null'].map((literal) => Buffer.from(literal));
/** One bit of a small integer for each object or array that is open. */
const DEPTH_MAX = 30;
const NOT_PLAIN = -1;

/** False: it may be JSON all the same. */
export function isPlainJson(bytes: Uint8Array, start: number, end: number): boolean {
  // From the innermost on: 1 for an object.
  let open = 0;
  let depth = 0;
  let at = start;
  for (;;) {
    at = spaceEnd(bytes, at, end);
    const first = at < end ? bytes[at]! : 0;
    if (first === BRACE_OPEN || first === BRACKET_OPEN) {
      if (depth === DEPTH_MAX) return false;
      depth += 1;
      const isObject = first === BRACE_OPEN;
      open = open * 2 + (isObject ? 1 : 0);
      at = spaceEnd(bytes, at + 1, end);
      if (at === end) return false;
      if (bytes[at] !== (isObject ? BRACE_CLOSE : BRACKET_CLOSE)) {
        if (isObject && (at = nameEnd(bytes, at, end)) < 0) return false;
        continue;
      }
    } else if ((at = scalarEnd(bytes, at, end, first)) < 0) return false;
    // Behind a value: what it is in goes on, or ends, perhaps with what that is in.
    for (;;) {
      at = spaceEnd(bytes, at, end);
      if (depth === 0) return at === end;
      if (at === end) return false;
      const isObject = (open & 1) === 1;
      const next = bytes[at++]!;
      if (next === COMMA) {
        if (isObject && (at = nameEnd(bytes, spaceEnd(bytes, at, end), end)) < 0) return false;
        break;
      }
      if (next !== (isObject ? BRACE_CLOSE : BRACKET_CLOSE)) return false;
      open >>= 1;
      depth -= 1;
    }
  }
}

function spaceEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(bytes[at]!)) at += 1;
  return at;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Behind the colon of a name; here and below NOT_PLAIN where there is none. */
function nameEnd(bytes: Uint8Array, start: number, end: number): number {
  if (start >= end || bytes[start] !== QUOTE) return NOT_PLAIN;
  const close = stringEnd(bytes, start, end);
  if (close < 0) return NOT_PLAIN;
  const colon = spaceEnd(bytes, close, end);
  return colon < end && bytes[colon] === COLON ? colon + 1 : NOT_PLAIN;
}

function scalarEnd(bytes: Uint8Array, start: number, end: number, first: number): number {
  if (first === QUOTE) return stringEnd(bytes, start, end);
  if (first === MINUS || isDigit(first)) return numberEnd(bytes, start, end);
  for (const literal of LITERALS) if (literal[0] === first) return literalEnd(bytes, start, end, literal);
  return NOT_PLAIN;
}

function stringEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start + 1; at < end; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte < SPACE || byte >= ASCII_END || byte === BACKSLASH) return NOT_PLAIN;
  }
  return NOT_PLAIN;
}

function literalEnd(bytes: Uint8Array, start: number, end: number, literal: Uint8Array): number {
  const { length } = literal;
  if (start + length > end) return NOT_PLAIN;
  for (let i = 1; i < length; i += 1) if (bytes[start + i] !== literal[i]) return NOT_PLAIN;
  return start + length;
}

function numberEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  const whole = at;
  at = digitsEnd(bytes, at, end);
  if (at === whole || (at > whole + 1 && bytes[whole] === ZERO)) return NOT_PLAIN;
  if (at < end && bytes[at] === POINT) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction, end);
    if (at === fraction) return NOT_PLAIN;
  }
  // Exponents are rare.
  return at < end && (bytes[at]! | CASE) === LOWER_E ? NOT_PLAIN : at;
}

function digitsEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && isDigit(bytes[at]!)) at += 1;
  return at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
