import { expect, test } from '@jest/globals';
import { base64Of } from '../../logs/byte-names.ts';
import type { WholeRecord } from '../../logs/history.ts';
import { type KindName, readingOf } from '../../judge/kinds.ts';
import { blankReach } from '../../judge/reach.ts';
import { RULES } from '../session/rules.fixture.ts';
import { otherThanSent } from './sent-output.ts';

const utf8 = new TextEncoder();
const AT = Date.UTC(2026, 10, 2, 8);

function recordOf(value: string, headers: Readonly<Record<string, string>> = {}): WholeRecord {
  return {
    offset: 7,
    timestamp: AT,
    logAppendTime: true,
    key: utf8.encode('k'),
    value: utf8.encode(value),
    headers: Object.entries(headers).map(([name, of]) => ({ name, value: utf8.encode(of) })),
  };
}

/** Compares the sender's words with the judge's. */
function judged(kind: KindName, record: WholeRecord, { id, type, data }: { id: string; type: string; data: string }) {
  const calendar = { version: 'none', isSound: () => true, next: () => undefined, instant: Number };
  const { words } = readingOf(3, { ...RULES, kind, calendar } as never, blankReach());
  const body = utf8.encode(`{"type":"${type}","timestamp":"2026-11-02T08:00:00.000Z","data":${data}}`);
  const said = { endpoint: 'a', id, key: base64Of(utf8.encode('k')), order: 7, type, attempts: [], phase: 'held' };
  return otherThanSent(said, body, record, { pipeline: 'shop', partition: 3, words });
}

const CLOSED = '{"incarnation":"3-1","state":"CLOSED","revision":2,"reason":"ENDED"}';
const UPDATED = '{"incarnation":"3-1","state":"UPDATED","lastOffset":5,"reason":""}';
const GRANTED = '{"type":"GRANTED","token":4}';
const FIRED = '{"windowId":"3-2","reason":"QUIET","part":1,"items":[]}';
const RUN = { 'flatline-schedule': '3-4', 'flatline-run': '2', 'flatline-due-at': '9', 'flatline-last': 'true' };
const SENT_RUN = '{"schedule":"3-4","run":2,"last":true,"dueAt":9,"missed":0,"key":"k","headers":[["of","x"]],';

test.each<[KindName, WholeRecord, string, string, string]>([
  ['session', recordOf(CLOSED), 'shop:3-1:2', 'session.closed', CLOSED],
  ['session', recordOf(UPDATED), 'shop:3-1:UPDATED:5', 'session.updated', UPDATED],
  ['lease', recordOf(GRANTED), 'shop:3-7', 'lease.granted', GRANTED],
  ['debounce', recordOf(FIRED), 'shop:3-2:QUIET:1', 'batch.fired', FIRED],
  ['schedule', recordOf('[1, 2]', { ...RUN, of: 'x' }), 'shop:3-4:2', 'schedule.due', `${SENT_RUN}"value":[1, 2]}`],
  ['schedule', recordOf('hello', { ...RUN, of: 'x' }), 'shop:3-4:2', 'schedule.due', `${SENT_RUN}"valueText":"hello"}`],
])('[N1][V10] an output of kind %s is known by what is sent of it', (kind, record, id, type, data) => {
  expect(judged(kind, record, { id, type, data })).toBeUndefined();
  expect(judged(kind, record, { id: `${id}0`, type, data })).toBe(`its output is called ${id}`);
  expect(judged(kind, record, { id, type: 'x', data })).toBe(`its type is x, and its output's ${type}`);
  expect(judged(kind, record, { id, type, data: data.replace(/.$/, ',"more":1}') })).toBe(
    'its body is another than its output says',
  );
});

test('[N1][V10] a receipt is not sent', () => {
  const receipt = recordOf('', { ...RUN, 'flatline-receipt': 'SCHEDULED' });
  expect(judged('schedule', receipt, { id: 'shop:3-4:2', type: 'schedule.due', data: '{}' })).toBe(
    'its output is none that is sent',
  );
});
