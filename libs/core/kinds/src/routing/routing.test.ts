import { describe, expect, test } from '@jest/globals';
import { partitionOf } from '@flatline/base';
import type { KindOutput } from '../contract.ts';
import { debounceSaid } from '../debounce/index.ts';
import { leaseSaid } from '../lease/index.ts';
import { scheduleSaid } from '../schedule/index.ts';
import { sessionSaid } from '../session/index.ts';
import type { SaidWords } from '../said-words.ts';
import type { RouteFunction, RouteRules } from './route.ts';
import { type Routed, routingOf } from './routing.ts';

const utf8 = new TextEncoder();
const text = (bytes: Uint8Array | null): string | null => (bytes === null ? null : new TextDecoder().decode(bytes));
const PARTITIONS = 7;
const WORDS: Readonly<Record<string, SaidWords>> = {
  session: sessionSaid,
  lease: leaseSaid,
  debounce: debounceSaid,
  schedule: scheduleSaid,
};

const SUMMARY = {
  key: 'anna',
  state: 'CLOSED',
  reason: 'TIMEOUT',
  closedAt: 1_700_000_000_000,
  eventCount: 3,
  attributes: { cart: 'full', 'a/b': 'slash' },
  types: { VIEW: 2 },
  byOperator: false,
};

function output(value: unknown, more: Partial<KindOutput> = {}): KindOutput {
  return { key: utf8.encode('anna'), value: value === null ? null : utf8.encode(JSON.stringify(value)), ...more };
}

function routed(routes: readonly RouteRules[], of: KindOutput = output(SUMMARY), kind = 'session') {
  return routingOf(WORDS[kind]!, routes, () => PARTITIONS)
    .of(of)
    .map(shown);
}

/** As text, without what follows from the key. */
function shown(each: Routed): unknown {
  if (each.kind === 'unroutable') return each.detail;
  const { topic, key, value, headers, partition } = each.record;
  expect(partition).toBe(partitionOf(key, PARTITIONS));
  const named = Object.fromEntries(headers.map(({ name, value: of }) => [name, text(of)]));
  return { topic, key: text(key), value: text(value), ...(headers.length > 0 && { headers: named }) };
}

describe('[P3] a route', () => {
  test('[P3] takes key and value of the output where it says neither', () => {
    expect(routed([{ to: 't' }])).toEqual([{ topic: 't', key: 'anna', value: JSON.stringify(SUMMARY) }]);
  });

  test('[P3] takes texts by pointer, constants as they are, instants so much later', () => {
    const route: RouteRules = {
      to: 't',
      key: '/attributes/cart',
      value: { text: '/not a pointer' },
      headers: {
        plain: 'CANCEL',
        number: 17,
        escaped: '/attributes/a~1b',
        count: '/eventCount',
        types: '/types',
        bool: '/byOperator',
        'flatline-due-at': { at: '/closedAt', plusMs: 500 },
        'flatline-delay-ms': '30m',
        'x-ms': '/eventCount',
        text: '30m',
        whole: '',
      },
    };
    expect(routed([route])).toEqual([
      {
        topic: 't',
        key: 'full',
        value: '/not a pointer',
        headers: {
          plain: 'CANCEL',
          number: '17',
          escaped: 'slash',
          count: '3',
          types: '{"VIEW":2}',
          bool: 'false',
          'flatline-due-at': '1700000000500',
          'flatline-delay-ms': '1800000',
          'x-ms': '3',
          text: '30m',
          whole: JSON.stringify(SUMMARY),
        },
      },
    ]);
    expect(routed([{ to: 't', value: null }])).toEqual([{ topic: 't', key: 'anna', value: null }]);
  });

  test.each<[string, RouteRules, string, object, boolean]>([
    ['a reason', { to: 't', on: ['ENDED', 'TIMEOUT'] }, 'session', SUMMARY, true],
    ['a state', { to: 't', on: ['CLOSED'] }, 'session', SUMMARY, true],
    ['a type as of webhooks', { to: 't', on: ['session.closed'] }, 'session', SUMMARY, true],
    ['another reason', { to: 't', on: ['ENDED'] }, 'session', SUMMARY, false],
    ['an empty reason', { to: 't', on: ['OPENED'] }, 'session', { ...SUMMARY, state: 'OPENED', reason: '' }, true],
    ['a lease', { to: 't', on: ['EXPIRED'] }, 'lease', { type: 'EXPIRED', reason: 'TIMEOUT' }, true],
    ['its reason', { to: 't', on: ['TIMEOUT'] }, 'lease', { type: 'EXPIRED', reason: 'TIMEOUT' }, true],
    ['a batch', { to: 't', on: ['QUIET'] }, 'debounce', { reason: 'QUIET' }, true],
    ['an equality', { to: 't', where: { '/attributes/cart': 'full', '/eventCount': 3 } }, 'session', SUMMARY, true],
    ['another value', { to: 't', where: { '/attributes/cart': 'empty' } }, 'session', SUMMARY, false],
    ['a text for a number', { to: 't', where: { '/eventCount': '3' } }, 'session', SUMMARY, false],
    ['nothing there', { to: 't', where: { '/attributes/none': null } }, 'session', SUMMARY, true],
  ])('[P3] concerns outputs by what they say: %s', (_, route, kind, value, isConcerned) => {
    expect(routed([route], output(value), kind)).toHaveLength(isConcerned ? 1 : 0);
  });

  test('[P3] concerns no tombstone, no record that goes elsewhere, and no receipt', () => {
    expect(routed([{ to: 't' }], output(null))).toEqual([]);
    expect(routed([{ to: 't' }], output(SUMMARY, { topic: 'stats' }))).toEqual([]);
    const headers = [{ name: 'flatline-receipt', value: utf8.encode('SCHEDULED') }];
    expect(routed([{ to: 't' }], output('', { headers }), 'schedule')).toEqual([]);
  });

  test('[P3] sees a run of schedules by its headers, and its message as JSON, text or bytes', () => {
    const said = {
      'flatline-schedule': '3-42',
      'flatline-schedule-id': 'first',
      'flatline-run': '2',
      'flatline-due-at': '1700000000000',
      trace: 'abc',
    };
    const headers = Object.entries(said).map(([name, value]) => ({ name, value: utf8.encode(value) }));
    const route: RouteRules = {
      to: 't',
      key: '/value/order',
      value: '/headers/trace',
      headers: { run: '/run', due: { at: '/dueAt' } },
    };
    expect(routed([{ ...route, on: ['DUE'] }], output({ order: 'o-1' }, { headers }), 'schedule')).toEqual([
      { topic: 't', key: 'o-1', value: 'abc', headers: { run: '2', due: '1700000000000' } },
    ]);
    const plain = { ...output(null, { headers }), value: utf8.encode('plain text') };
    expect(routed([{ to: 't', key: '/value' }], plain, 'schedule')).toEqual([
      { topic: 't', key: 'plain text', value: 'plain text' },
    ]);
    const raw = { ...plain, value: Uint8Array.of(0xff) };
    expect(routed([{ to: 't', key: '/value' }], raw, 'schedule')).toEqual(['routes[0] to t: key: nothing at /value']);
  });

  test('[P3] that finds nothing for its record says so, and other routes go on', () => {
    const routes: RouteRules[] = [
      { to: 't', key: '/attributes/site' },
      { to: 'u', headers: { due: { at: '/reason' } } },
      { to: 'v', value: '/attributes/none' },
      { to: 'w' },
    ];
    expect(routed(routes)).toEqual([
      'routes[0] to t: key: nothing at /attributes/site',
      'routes[1] to u: header due: no instant at /reason',
      'routes[2] to v: value: nothing at /attributes/none',
      { topic: 'w', key: 'anna', value: JSON.stringify(SUMMARY) },
    ]);
  });

  test('[P3] makes no record that a topic may refuse for its length', () => {
    expect(routed([{ to: 't' }], output({ ...SUMMARY, big: 'x'.repeat(900_001) }))).toEqual([
      expect.stringMatching(/^routes\[0\] to t: its record has 900\d{3} bytes; at most 900000$/),
    ]);
    // 1 100 000 bytes in a batch, most of them in names and framing.
    const names = Array.from({ length: 1_000 }, (_, i) => `${'é'.repeat(500)}${i}`);
    const wide = {
      to: 't',
      record: () => ({ value: '', headers: Object.fromEntries(names.map((name) => [name, ''])) }),
    };
    const small = { to: 't', record: () => ({ value: '', headers: { é: '' } }) };
    expect(routed([wide, small])).toEqual([
      'routes[0] to t: its record has 1012894 bytes; at most 900000',
      expect.objectContaining({ topic: 't' }),
    ]);
  });
});

describe('[P3] a function', () => {
  const by = (record: RouteFunction) => routed([{ to: 't', record }]);

  test('[P3] sees a copy of the output, and asks for one record, several, or none', () => {
    expect(
      by(({ key, names, output: { closedAt } }) => ({ key: `${key}!`, value: { names, closedAt }, headers: { n: 1 } })),
    ).toEqual([
      {
        topic: 't',
        key: 'anna!',
        value: '{"names":["TIMEOUT","CLOSED","session.closed"],"closedAt":1700000000000}',
        headers: { n: '1' },
      },
    ]);
    expect(
      by(() => [
        { key: 'a', value: 'x' },
        { key: 'b', value: null },
      ]),
    ).toEqual([
      { topic: 't', key: 'a', value: 'x' },
      { topic: 't', key: 'b', value: null },
    ]);
    expect(by(() => undefined)).toEqual([]);
    expect(by(() => ({}))).toEqual([{ topic: 't', key: 'anna', value: JSON.stringify(SUMMARY) }]);
  });

  test('[P3] cannot change what another route sees', () => {
    const spoil: RouteFunction = ({ output: of }) => {
      Reflect.set(of, 'reason', 'spoiled');
      Reflect.set(of['attributes'] as object, 'cart', 'spoiled');
      return undefined;
    };
    expect(
      routed([
        { to: 't', record: spoil },
        { to: 'u', key: '/attributes/cart', value: '/reason' },
      ]),
    ).toEqual([{ topic: 'u', key: 'full', value: 'TIMEOUT' }]);
  });

  test.each<[string, RouteFunction, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no site');
      },
      /no site$/,
    ],
    [
      'throws what has no text',
      () => {
        throw Object.create(null);
      },
      /without a message/,
    ],
    ['is asynchronous', (() => Promise.resolve({})) as unknown as RouteFunction, /returns no record/],
    [
      'is asynchronous, and throws later',
      (() => Promise.reject(new Error('later'))) as unknown as RouteFunction,
      /returns no record/,
    ],
    [
      'asks for what is asynchronous, and for too many',
      (() => Array.from({ length: 17 }, () => Promise.reject(new Error('later')))) as unknown as RouteFunction,
      /asks for 17 records/,
    ],
    ['returns a text', (() => 'x') as unknown as RouteFunction, /returns no record/],
    ['returns a number as the key', (() => ({ key: 1 })) as unknown as RouteFunction, /a key that is no text/],
    ['returns a function as the value', () => ({ value: () => 1 }), /a value that is no JSON/],
    ['asks for too many', () => Array.from({ length: 17 }, () => ({})), /asks for 17 records; at most 16/],
  ])('[P3] that %s has the output be a dead letter', (_, record, why) => {
    expect(by(record)).toEqual([expect.stringMatching(why)]);
  });
});
