// Summaries as JSON: what JsonRecordWriter makes of SUMMARY_SHAPE, field by field instead of through the table. When a million
// sessions close together, a call whose target varies takes longer than writing the digits of its result.
import { isUtf8 } from 'node:buffer';
import type { SessionSummary, SummaryEncoder } from '@flatline/ports/formats';
import { writeMap, writeTexts } from '../json/json-record.ts';
import { JsonWriter, type Phrase, phraseOf } from '../json/json-writer.ts';
import { asBuffer } from '../text-reader.ts';
import { SUMMARY_SHAPE } from './summary-shape.ts';

const SESSION_ID = beginningOf('sessionId');
const INCARNATION = beginningOf('incarnation');
const REVISION = beginningOf('revision');
const REASON = beginningOf('reason');
const STARTED_AT = beginningOf('startedAt');
const LAST_SEEN_AT = beginningOf('lastSeenAt');
const ENDED_AT = beginningOf('endedAt');
const DURATION_MS = beginningOf('durationMs');
const DEADLINE_AT = beginningOf('deadlineAt');
const CLOSED_AT = beginningOf('closedAt');
const EMITTED_AT = beginningOf('emittedAt');
const TIMEOUT_MS = beginningOf('timeoutMs');
const EVENT_COUNT = beginningOf('eventCount');
const DUPLICATE_COUNT = beginningOf('duplicateCount');
const OUT_OF_ORDER_COUNT = beginningOf('outOfOrderCount');
const LATE_COUNT = beginningOf('lateCount');
const MISSING_COUNT = beginningOf('missingCount');
const COUNTS_BY_TYPE = beginningOf('countsByType');
const ATTRIBUTES = beginningOf('attributes');
const TRUNCATED = beginningOf('truncated');
const PARTITION = beginningOf('partition');
const FIRST_OFFSET = beginningOf('firstOffset');
const LAST_OFFSET = beginningOf('lastOffset');
const SESSION_KEY_BASE64 = beginningOf('sessionKeyBase64');
const HELD_MS = beginningOf('heldMs');
const ABSORBED = beginningOf('absorbed');
const STATE = beginningOf('state');
const CAPPED = beginningOf('capped');
const REDUCED = phraseOf(',"reduced":');
const BY_OPERATOR = phraseOf(',"byOperator":true');
const END = phraseOf('}');
/** Members that most summaries have in common, in one piece each. */
const TIMED_OUT = phraseOf(',"reason":"TIMEOUT"');
const NOTHING_AMISS = phraseOf(',"duplicateCount":0,"outOfOrderCount":0,"lateCount":0,"missingCount":0');
const HEARTBEATS_ALONE = phraseOf(',"countsByType":{"HEARTBEAT":');
const NO_ATTRIBUTES = phraseOf(',"attributes":{}');
const WHOLE = phraseOf(',"truncated":false');
const CLOSED = phraseOf(',"state":"CLOSED","capped":false');

export class SummaryJsonEncoder implements SummaryEncoder {
  readonly #writer = new JsonWriter();

  encode(summary: SessionSummary): Uint8Array {
    this.#write(summary);
    return this.#writer.copy();
  }

  view(summary: SessionSummary): Uint8Array {
    this.#write(summary);
    return this.#writer.view();
  }

  #write(summary: SessionSummary): void {
    const writer = this.#writer;
    writer.clear();
    writer.phrase(SESSION_ID);
    const isText = writer.asciiString(summary.key) || this.#keyText(summary.key);
    writer.phrase(INCARNATION);
    writer.string(summary.incarnation);
    this.#long(REVISION, summary.revision);
    if (summary.reason === 'TIMEOUT') writer.phrase(TIMED_OUT);
    else this.#text(REASON, summary.reason);
    this.#times(summary);
    this.#counts(summary);
    if (summary.truncated) this.#flag(TRUNCATED, true);
    else writer.phrase(WHOLE);
    this.#long(PARTITION, summary.partition);
    this.#long(FIRST_OFFSET, summary.firstOffset);
    this.#long(LAST_OFFSET, summary.lastOffset);
    if (!isText) {
      writer.phrase(SESSION_KEY_BASE64);
      writer.string(asBuffer(summary.key).toString('base64'));
    }
    if (summary.heldMs !== undefined) this.#long(HELD_MS, summary.heldMs);
    if (summary.absorbed !== undefined) {
      writer.phrase(ABSORBED);
      writeTexts(writer, summary.absorbed);
    }
    if (summary.state === 'CLOSED' && !summary.capped) writer.phrase(CLOSED);
    else {
      this.#text(STATE, summary.state);
      this.#flag(CAPPED, summary.capped);
    }
    if (summary.byOperator === true) writer.phrase(BY_OPERATOR);
    if (summary.reduced !== undefined) {
      writer.phrase(REDUCED);
      writer.raw(Buffer.from(summary.reduced?.json ?? 'null'));
    }
    writer.phrase(END);
  }

  #times(summary: SessionSummary): void {
    this.#long(STARTED_AT, summary.startedAt);
    this.#long(LAST_SEEN_AT, summary.lastSeenAt);
    this.#long(ENDED_AT, summary.endedAt);
    this.#long(DURATION_MS, summary.durationMs);
    this.#long(DEADLINE_AT, summary.deadlineAt);
    this.#long(CLOSED_AT, summary.closedAt);
    this.#long(EMITTED_AT, summary.emittedAt);
    this.#long(TIMEOUT_MS, summary.timeoutMs);
  }

  #counts(summary: SessionSummary): void {
    const writer = this.#writer;
    const { duplicateCount, outOfOrderCount, lateCount, missingCount, countsByType, attributes } = summary;
    this.#long(EVENT_COUNT, summary.eventCount);
    if (duplicateCount === 0 && outOfOrderCount === 0 && lateCount === 0 && missingCount === 0)
      writer.phrase(NOTHING_AMISS);
    else {
      this.#long(DUPLICATE_COUNT, duplicateCount);
      this.#long(OUT_OF_ORDER_COUNT, outOfOrderCount);
      this.#long(LATE_COUNT, lateCount);
      this.#long(MISSING_COUNT, missingCount);
    }
    this.#types(countsByType);
    if (attributes.size === 0) writer.phrase(NO_ATTRIBUTES);
    else {
      writer.phrase(ATTRIBUTES);
      writeMap(writer, attributes);
    }
  }

  #types(countsByType: ReadonlyMap<string, number>): void {
    const writer = this.#writer;
    const heartbeats = countsByType.size === 1 ? countsByType.get('HEARTBEAT') : undefined;
    if (heartbeats === undefined) {
      writer.phrase(COUNTS_BY_TYPE);
      writeMap(writer, countsByType);
      return;
    }
    this.#long(HEARTBEATS_ALONE, heartbeats);
    writer.phrase(END);
  }

  #text(beginning: Phrase, value: string): void {
    this.#writer.phrase(beginning);
    this.#writer.string(value);
  }

  #flag(beginning: Phrase, value: boolean): void {
    this.#writer.phrase(beginning);
    this.#writer.boolean(value);
  }

  #long(beginning: Phrase, value: number): void {
    this.#writer.phrase(beginning);
    this.#writer.number(value);
  }

  /** A key that is not plain ASCII. Returns whether it is UTF-8: the text then says all of it. */
  #keyText(key: Uint8Array): boolean {
    this.#writer.string(asBuffer(key).toString('utf8'));
    return isUtf8(key);
  }
}

/** Bytes before a field's value. Field names stand in the table, and nowhere else. */
function beginningOf(name: string): Phrase {
  const index = SUMMARY_SHAPE.findIndex((field) => field.name === name);
  if (index < 0) throw new Error(`a summary has no field ${name}`);
  return phraseOf(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
}
