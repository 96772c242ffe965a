// Where the values of a batch's records stand in its body: their bytes go into the log as they were sent, all digits with them.
//
// JSON.parse decides whether the body is JSON. The spans of anything else mean nothing.
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Containers within each other: what nests deeper is no record of anyone, and would be too deep for who reads it. */
export const DEPTH_MAX = 1_000;

/** Container of a batch's records. */
const RECORD = 2;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
/** Greatest of the blanks that JSON has, and no value begins or ends with a lesser one. */
const BLANK = 0x20;
const VALUE = '"value"';

/** By the record's number: its last `value`, as JSON.parse takes it. undefined: it nests too deep. */
export function valueSpans(body: Buffer): ReadonlyMap<number, Span> | undefined {
  const spans = new Map<number, Span>();
  let depth = 0;
  let record = 0;
  let isName = false;
  let isValue = false;
  let from = -1;
  const endMember = (at: number): void => {
    if (from >= 0) spans.set(record, trimmed(body, from, at));
    from = -1;
  };
  for (let at = 0; at < body.length; at += 1)
    switch (body[at]) {
      case QUOTE: {
        const end = endOfText(body, at);
        if (isName && depth === RECORD) isValue = isValueName(body, at, end);
        at = end - 1;
        break;
      }
      case OPENING_BRACE:
      case OPENING_BRACKET:
        depth += 1;
        if (depth > DEPTH_MAX) return undefined;
        if (depth === RECORD) isName = body[at] === OPENING_BRACE;
        break;
      case COLON:
        if (!isName || depth !== RECORD) break;
        if (isValue) from = at + 1;
        isName = false;
        break;
      case COMMA:
        if (depth === RECORD - 1) record += 1;
        if (depth !== RECORD) break;
        endMember(at);
        isName = true;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        if (depth === RECORD) endMember(at);
        depth -= 1;
    }
  return spans;
}

/** Behind its closing quote. */
function endOfText(body: Buffer, opening: number): number {
  for (let at = opening + 1; at < body.length; at += 1) {
    if (body[at] === BACKSLASH) at += 1;
    else if (body[at] === QUOTE) return at + 1;
  }
  return body.length;
}

/** A name may be written with escapes: it is decoded where it has some. */
function isValueName(body: Buffer, from: number, to: number): boolean {
  // Each of the five characters as \uXXXX, at most.
  if (to - from > VALUE.length + 5 * 5) return false;
  const name = body.toString('latin1', from, to);
  if (!name.includes('\\')) return name === VALUE;
  try {
    return JSON.parse(name) === 'value';
  } catch {
    return false;
  }
}

function trimmed(body: Buffer, from: number, to: number): Span {
  let [first, end] = [from, to];
  while (first < end && body[first]! <= BLANK) first += 1;
  while (end > first && body[end - 1]! <= BLANK) end -= 1;
  return { from: first, to: end };
}
