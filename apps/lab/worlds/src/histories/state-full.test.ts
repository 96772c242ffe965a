// When the processor is believed that there was no room for a state (I7).
import { describe, expect, test } from '@jest/globals';
import { KIND_NAMES, type KindName } from '@flatline/base';
import { KIND_LABS } from '@flatline/lab-kinds';
import type { RoomCase, Sent } from '@flatline/lab-kinds/histories';
import { blankReach, type CommonRules, readingOf } from '@flatline/oracle/anatomy';

interface Case extends RoomCase {
  readonly kind: KindName;
}

const CASES: readonly Case[] = KIND_NAMES.map((kind) => ({ kind, ...KIND_LABS[kind].histories.room }));

const utf8 = new TextEncoder();

/** True if `sent`, behind the first record of its key, counts as refused because the processor says so. */
function isBelieved(
  { kind, rules: own, first }: Case,
  sent: Sent,
  limits: Partial<CommonRules>,
  cameAndWent = 0,
): boolean {
  const { subject } = KIND_LABS[kind].histories.subjects[0];
  const rules = { ...subject.rules, ...own, ...limits };
  const { fold } = readingOf(0, rules, blankReach());
  const former = Array.from({ length: cameAndWent }, (_, index): Sent[] => [
    first,
    { value: null, headers: { 'flatline-token': String(3 * 2 ** 40 + 2 * index) } },
  ]).flat();
  const all = [...former, first, sent];
  for (const [offset, { value, headers = {} }] of all.entries()) {
    fold.takeExpected();
    fold.record(
      subject.input({
        offset,
        timestamp: 1e12 + offset,
        logAppendTime: rules.timestampType === 'LogAppendTime',
        key: utf8.encode(offset < former.length ? 'gone' : 'k'),
        value: value === null ? null : utf8.encode(value),
        headers: Object.entries(headers).map(([name, text]) => ({ name, value: utf8.encode(text) })),
      }),
      Infinity,
      offset === all.length - 1,
    );
  }
  return fold.takeBad().includes(all.length - 1);
}

describe.each(CASES)('[I7] of kind $kind, that there was no room for a state', (each) => {
  const believed = (sent: readonly Sent[], limits: Partial<CommonRules>): boolean[] =>
    sent.map((one) => isBelieved(each, one, limits));

  test('is believed of a record that needs any, by whichever bound', () => {
    const all = each.growing.map(() => true);
    expect(believed(each.growing, { stateBytesMax: 200 })).toEqual(all);
    expect(believed(each.growing, { pageBytesMax: 200 })).toEqual(all);
  });

  test('is not believed of what goes on without: heartbeats, renewals, ends, commands', () => {
    const none = each.others.map(() => false);
    expect(believed(each.others, { stateBytesMax: 200 })).toEqual(none);
    expect(believed(each.others, { pageBytesMax: 200 })).toEqual(none);
  });

  test('is not believed where what lives could not fill it, however much came and went', () => {
    const none = each.growing.map(() => false);
    expect(each.growing.map((sent) => isBelieved(each, sent, { stateBytesMax: 8_000 }, 50))).toEqual(none);
    expect(each.growing.map((sent) => isBelieved(each, sent, { stateBytesMax: 200 }, 50))).toEqual(
      each.growing.map(() => true),
    );
  });

  test('is not believed where all that came could not fill it', () => {
    const none = each.growing.map(() => false);
    expect(believed(each.growing, {})).toEqual(none);
    expect(believed(each.growing, { stateBytesMax: 1e6 })).toEqual(none);
  });
});

/** The record finds the only place taken by another key. */
function isTakenBesideAnother(kind: Case['kind'], sent: Sent): boolean {
  const { subject } = KIND_LABS[kind].histories.subjects[0];
  const { fold } = readingOf(0, { ...subject.rules, entriesMax: 1 }, blankReach());
  const { first } = KIND_LABS[kind].histories.room;
  for (const [offset, { value, headers = {} }] of [first, sent].entries())
    fold.record(
      subject.input({
        offset,
        timestamp: 1e12 + offset,
        logAppendTime: true,
        key: utf8.encode(`k${offset}`),
        value: value === null ? null : utf8.encode(value),
        headers: Object.entries(headers).map(([name, text]) => ({ name, value: utf8.encode(text) })),
      }),
    );
  return !fold.takeBad().includes(1);
}

describe('[I7] where no other entry has a place', () => {
  const past = { 'flatline-due-at': '999999990000' };
  test.each([
    ['a window that the item fires', 'debounce', { value: 'now', headers: { 'flatline-command': 'FLUSH' } }, false],
    ['a message that is due', 'schedule', { value: 'now', headers: past }, true],
    [
      'a recurrence that is over at once',
      'schedule',
      {
        value: 'now',
        headers: { 'flatline-every-ms': '1', 'flatline-start-at': '999999990000', 'flatline-max-runs': '1' },
      },
      false,
    ],
  ] as const)('%s, of kind %s', (_what, kind, sent, isTaken) => {
    expect(isTakenBesideAnother(kind, sent)).toBe(isTaken);
  });
});
