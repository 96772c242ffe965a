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

export class SummaryJsonEncoder implements SummaryEncoder {
  readonly #writer = new JsonWriter();

  encode(summary: SessionSummary): Uint8Array {
    const writer = this.#writer;
    writer.clear();
    writer.phrase(SESSION_ID);
    const isText = writer.asciiString(summary.key) || this.#keyText(summary.key);
    writer.phrase(INCARNATION);
    writer.string(summary.incarnation);
    this.#long(REVISION, summary.revision);
    writer.phrase(REASON);
    writer.string(summary.reason);
    this.#times(summary);
    this.#counts(summary);
    writer.phrase(TRUNCATED);
    writer.boolean(summary.truncated);
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
    writer.phrase(STATE);
    writer.string(summary.state);
    writer.phrase(CAPPED);
    writer.boolean(summary.capped);
    if (summary.byOperator === true) writer.phrase(BY_OPERATOR);
    if (summary.reduced !== undefined) {
      writer.phrase(REDUCED);
      writer.raw(Buffer.from(summary.reduced?.json ?? 'null'));
    }
    writer.phrase(END);
    return writer.copy();
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
    this.#long(EVENT_COUNT, summary.eventCount);
    this.#long(DUPLICATE_COUNT, summary.duplicateCount);
    this.#long(OUT_OF_ORDER_COUNT, summary.outOfOrderCount);
    this.#long(LATE_COUNT, summary.lateCount);
    this.#long(MISSING_COUNT, summary.missingCount);
    writer.phrase(COUNTS_BY_TYPE);
    writeMap(writer, summary.countsByType);
    writer.phrase(ATTRIBUTES);
    writeMap(writer, summary.attributes);
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
