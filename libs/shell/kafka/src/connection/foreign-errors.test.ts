import { describe, expect, test } from '@jest/globals';
import { AssertionError, Fatal, Fenced, MalformedBytes, PartitionStopped, Retriable } from '@flatline/base';
import { createRequire } from 'node:module';
import { codeOf, errorOfCode, translated } from './foreign-errors.ts';
import { kafkaErrorCode } from './kafka-error-codes.ts';

const require = createRequire(import.meta.url);
const { errorCodes } = require('kafkajs/src/protocol/error.js') as {
  readonly errorCodes: readonly { readonly code: number; readonly type: string }[];
};
const kafkajsErrors = require('kafkajs/src/errors.js') as Record<string, new (...inputs: unknown[]) => Error>;

const at = (thrown: unknown): Error => translated(thrown, 'do it', 'host:9092');

describe('errors of brokers', () => {
  test('every code that kafkajs knows is in the table', () => {
    const unnamed = errorCodes.filter(({ code }) => code > 0 && kafkaErrorCode(code).name.startsWith('UNKNOWN_CODE'));
    expect(unnamed).toEqual([]);
  });

  test.each([
    [6, Retriable],
    [1, PartitionStopped],
    [90, Fenced],
    [29, Fatal],
    [12_345, Fatal],
    // EndTxn was answered so by a broker that was being bounced.
    [-1, Retriable],
  ])('code %i is %p, and its number can be asked for', (code, consequence) => {
    const error = errorOfCode(code, 'read visits-3');
    expect(error).toBeInstanceOf(consequence);
    expect(error.message).toContain('cannot read visits-3');
    expect(codeOf(error)).toBe(code);
  });

  test('the message says what to do, where something can be done', () => {
    expect(errorOfCode(3, 'read visits-3').message).toContain('create the topic');
    expect(errorOfCode(38, 'create topic visits', 'only 1 broker').message).toMatch(
      /only 1 broker; use a replication factor/,
    );
  });
});

describe('errors thrown by others', () => {
  test.each([
    ['a lost connection', new kafkajsErrors['KafkaJSConnectionClosedError']!('gone', {}), Retriable],
    ['an unreachable host', Object.assign(new Error('connect'), { code: 'EHOSTUNREACH' }), Retriable],
    ['a wrong password', new kafkajsErrors['KafkaJSSASLAuthenticationError']!('bad credentials'), Fatal],
    [
      'a protocol error by its code',
      new kafkajsErrors['KafkaJSProtocolError']!({ code: 6, type: 'X', message: 'm' }),
      Retriable,
    ],
    ['bytes that are not the protocol', new MalformedBytes('short'), Fatal],
    ['a fault in a program', new TypeError('x is not a function'), Fatal],
    ['something that is no error', 'boom', Fatal],
    [
      'a certificate that no authority has signed',
      Object.assign(new Error('tls'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
      Fatal,
    ],
  ])('%s', (_what, thrown, consequence) => {
    const error = at(thrown);
    expect(error).toBeInstanceOf(consequence);
    expect(error.message).toContain('cannot do it');
  });

  test('our own errors pass as they are', () => {
    for (const own of [new Fenced('a'), new Retriable('b'), new PartitionStopped('c'), new AssertionError('d', {})])
      expect(at(own)).toBe(own);
  });
});
