import { describe, expect, test } from '@jest/globals';
import type { OutputRecord, SummaryRecord } from '@flatline/client/parts';
import { createColors } from 'picocolors';
import { outputTable, outputValue } from './output-line.ts';

const plain = createColors(false);
const { line: outputText } = outputTable(plain, Infinity);
const at = { partition: 2, offset: 7, timestamp: 1_700_000_000_000 };

function summaryRecord(key: Uint8Array, attributes: readonly (readonly [string, string])[] = []): SummaryRecord {
  return {
    kind: 'summary',
    ...at,
    summary: {
      key,
      incarnation: '2-100',
      revision: 0,
      state: 'CLOSED',
      reason: 'TIMEOUT',
      truncated: false,
      capped: false,
      partition: 2,
      startedAt: 1,
      lastSeenAt: 2,
      endedAt: 2,
      durationMs: 4500,
      deadlineAt: 32,
      closedAt: 1_700_000_000_000,
      emittedAt: 40,
      timeoutMs: 30,
      eventCount: 9,
      duplicateCount: 0,
      outOfOrderCount: 0,
      lateCount: 0,
      missingCount: 0,
      countsByType: new Map([['HEARTBEAT', 9]]),
      attributes: new Map(attributes),
      firstOffset: 100,
      lastOffset: 110,
    },
  };
}

const utf8 = new TextEncoder();

describe('a record of an output topic', () => {
  test('as text: when, who, why, how long', () => {
    expect(outputText(summaryRecord(utf8.encode('anna')))).toBe(
      '2023-11-14 22:13:20  anna                          TIMEOUT             5 s       9 events  2-100',
    );
  });

  test('one event is one, and a key of no bytes is shown for one', () => {
    const record = summaryRecord(new Uint8Array());
    const text = outputText({ ...record, summary: { ...record.summary, eventCount: 1 } });
    expect(text).toMatch(/ {2}\(empty\) {21} {2}TIMEOUT .* 1 event {3}2-100$/);
  });

  test('the heading stands over its columns', () => {
    const { heading, line: lineOf } = outputTable(plain, 160);
    const line = lineOf(summaryRecord(utf8.encode('anna'), [['a', 'b']]));
    for (const [name, value] of [
      ['session', 'anna'],
      ['reason', 'TIMEOUT'],
      ['incarnation', '2-100'],
    ] as const)
      expect([name, heading.indexOf(name)]).toEqual([name, line.indexOf(value)]);
  });

  test('fits a terminal of 80 columns with the time of day, and is whole in a pipe', () => {
    const record = summaryRecord(utf8.encode('k'.repeat(100)), [['page', '/'.repeat(100)]]);
    const { heading, line } = outputTable(plain, 80);
    expect([heading, line(record)]).toEqual([
      'at (UTC)  session           reason           lasted         events  attributes',
      '22:13:20  kkkkkkkkkkkkkkk…  TIMEOUT             5 s       9 events  page=//////…',
    ]);
    expect(outputText(record)).toMatch(/^2023-11-14 22:13:20 {2}k{100} {2}TIMEOUT .* 2-100 {8}page=\/{100}$/);
  });

  test('a tombstone says what is final, an unreadable record why', () => {
    const key = utf8.encode('anna');
    const start = '2023-11-14 22:13:20  anna                          ';
    expect(outputText({ kind: 'tombstone', ...at, key, incarnation: '2-100' })).toBe(`${start}final  2-100`);
    const detail = 'no JSON';
    expect(outputText({ kind: 'unreadable', ...at, key, reason: 'invalid-json', detail })).toBe(
      `${start}unreadable  invalid-json at 2-7: no JSON`,
    );
  });

  test('[I3] keys, attributes, reasons and details cannot reach the terminal', () => {
    const hostile = '\u001b]0;x\u0007\r\n';
    const records: OutputRecord[] = [
      summaryRecord(utf8.encode(hostile), [[hostile, hostile]]),
      { kind: 'tombstone', ...at, key: utf8.encode(hostile), incarnation: '2-100' },
      { kind: 'unreadable', ...at, key: utf8.encode(hostile), reason: 'invalid-json', detail: hostile },
    ];
    for (const record of records) {
      const text = outputText(record);
      // eslint-disable-next-line no-control-regex -- control characters are what is looked for
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      expect(text).toContain('\\u001b');
    }
  });

  test('as JSON: the names of a summary, and where it lies', () => {
    expect(outputValue(summaryRecord(utf8.encode('anna'), [['page', '/']]))).toMatchObject({
      kind: 'summary',
      sessionId: 'anna',
      reason: 'TIMEOUT',
      durationMs: 4500,
      eventCount: 9,
      countsByType: { HEARTBEAT: 9 },
      attributes: { page: '/' },
      outputPartition: 2,
      outputOffset: 7,
    });
  });

  test('[I3] as JSON: __proto__ is an attribute like any other', () => {
    const value = outputValue(summaryRecord(utf8.encode('a'), [['__proto__', 'x']]));
    expect(JSON.stringify(value)).toContain('"attributes":{"__proto__":"x"}');
  });

  test('a key that is no text comes with its bytes', () => {
    expect(outputValue(summaryRecord(Uint8Array.of(0xff, 0x41)))).toMatchObject({ sessionKeyBase64: '/0E=' });
    expect(outputText(summaryRecord(Uint8Array.of(0xff, 0x41)))).toContain('\\xffA');
  });

  test('a time that is none is shown as the number it is', () => {
    const record = summaryRecord(utf8.encode('a'));
    const odd = { ...record, summary: { ...record.summary, closedAt: 1e300 } };
    expect(outputText(odd)).toContain('1e+300');
  });
});
