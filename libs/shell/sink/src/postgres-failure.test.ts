import { describe, expect, test } from '@jest/globals';
import { DatabaseError } from 'pg';
import { consequenceOf } from './postgres-failure.ts';

const coded = (code: string): Error => Object.assign(new Error('no'), { code });
const said = (code: string): Error => Object.assign(new DatabaseError('no', 2, 'error'), { code });

describe('[O7] an error of the database', () => {
  test.each(['22003', '23514', '54001', 'P0001', '44000', '21000', '2F002', '38000', '39004', 'EPIPE'])(
    'SQLSTATE %s is of a row',
    (state) => {
      expect(consequenceOf(said(state))).toBe('rows');
    },
  );

  test.each(['08006', '40001', '40P01', '53300', '55P03', '57P01', '58030', 'XX000', '25P03'])(
    'SQLSTATE %s may pass',
    (state) => {
      expect(consequenceOf(said(state))).toBe('again');
    },
  );

  test.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH'])(
    '%s may pass',
    (code) => {
      expect(consequenceOf(coded(code))).toBe('again');
      expect(consequenceOf(new AggregateError([coded(code), coded(code)]))).toBe('again');
    },
  );

  // As pg says it, which gives these no code.
  test.each(['Connection terminated unexpectedly', 'Connection terminated', 'Query read timeout', 'timeout expired'])(
    '"%s" may pass',
    (message) => {
      expect(consequenceOf(new Error(message))).toBe('again');
    },
  );

  test.each([coded('CERT_HAS_EXPIRED'), coded('ERR_TLS_CERT_ALTNAME_INVALID'), new Error('SASL: no password')])(
    'no. %# is of the settings',
    (error) => {
      expect(consequenceOf(error)).toBe('settings');
    },
  );

  test.each([
    coded('ERR_INVALID_ARG_TYPE'),
    new TypeError('x is not a function'),
    new RangeError('Invalid string length'),
    new Error('no'),
    'no',
  ])('no. %# is a defect', (error) => {
    expect(consequenceOf(error)).toBe('defect');
  });
});
