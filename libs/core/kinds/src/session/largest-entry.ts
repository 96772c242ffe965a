// The longest session that a pipeline's rules allow, to be encoded: what must fit a record of the output.
import { OTHER_TYPE, TYPES_MAX } from './apply-event.ts';
import { COUNT_MAX, RESTARTS_MAX } from './counts.ts';
import { blankDetail, type SessionDetail } from './detail.ts';
import type { SessionEntry, SessionRules } from './entry.ts';
import { blankTexts, type SessionTexts } from './texts.ts';

/** Lengths of texts that are not the rules' to bound, in UTF-16 units. */
export interface TextLimits {
  readonly typeLength: number;
  readonly eventIdLength: number;
}

/** Numbers at their longest as varints, the lesser of a pair half of the greater: so is their difference. */
const GREATEST = Number.MAX_SAFE_INTEGER;
const HALF = 2 ** 52;
/** All bits of one word of the sequence window. */
const WORD = 2 ** 32 - 1;

/** `alphabet`: the characters, of one UTF-16 unit each, whose encoding takes the most; at least ten. */
export function largestEntry(rules: SessionRules, limits: TextLimits, alphabet: string): SessionEntry {
  return {
    openedAt: HALF,
    lastSeenAt: GREATEST,
    firstOffset: HALF,
    lastOffset: GREATEST,
    timeoutMs: rules.maxTimeoutMs,
    timeoutChosen: true,
    eventCount: COUNT_MAX,
    detail: largestDetail(rules, limits, alphabet),
  };
}

function largestDetail(rules: SessionRules, limits: TextLimits, alphabet: string): SessionDetail {
  return {
    ...blankDetail(GREATEST, GREATEST),
    duplicateCount: COUNT_MAX,
    outOfOrderCount: COUNT_MAX,
    sequence: {
      lowest: HALF,
      highest: GREATEST,
      seenLow: WORD,
      seenHigh: WORD,
      received: COUNT_MAX,
      missingBefore: GREATEST,
      restarts: RESTARTS_MAX,
    },
    texts: largestTexts(rules, limits, alphabet),
  };
}

function largestTexts(rules: SessionRules, { typeLength, eventIdLength }: TextLimits, alphabet: string): SessionTexts {
  const texts = blankTexts();
  texts.truncated = true;
  for (let i = 0; i < rules.dedupeEventIds; i += 1) texts.addEventId(distinct(i, eventIdLength, alphabet));
  for (let i = 0; i < TYPES_MAX; i += 1) texts.addType(distinct(i, typeLength, alphabet), COUNT_MAX);
  texts.addType(OTHER_TYPE, COUNT_MAX);
  const names = shortNames(rules, alphabet);
  let left = rules.maxAttributeBytes - names.join('').length;
  for (const name of names) {
    texts.addAttribute(name, alphabet[0]!.repeat(left), GREATEST);
    left = 0;
  }
  return texts;
}

/** As short as can be: each attribute more has lengths and a time of its own. */
function shortNames({ maxAttributes, maxAttributeBytes }: SessionRules, alphabet: string): readonly string[] {
  const names: string[] = [];
  let left = maxAttributeBytes;
  for (let i = 0; i < maxAttributes; i += 1) {
    const name = distinct(i, Math.ceil(Math.log(i + 1) / Math.log(alphabet.length)), alphabet);
    if (name.length > left) break;
    left -= name.length;
    names.push(name);
  }
  return names;
}

/** The `number`th text of so many units, in digits of the alphabet, the least digit last. */
function distinct(number: number, length: number, alphabet: string): string {
  let text = '';
  for (let rest = number; text.length < length; rest = Math.floor(rest / alphabet.length))
    text = alphabet[rest % alphabet.length]! + text;
  return text;
}
