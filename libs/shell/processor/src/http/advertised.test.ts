import { expect, test } from '@jest/globals';
import type { NetworkInterfaceInfo } from 'node:os';
import { advertised } from './advertised.ts';

const info = (address: string, internal = false): NetworkInterfaceInfo => ({
  address,
  internal,
  family: 'IPv4',
  netmask: '255.255.255.0',
  mac: '00:00:00:00:00:00',
  cidr: null,
});

test('an instance says where it answers: the address it is bound to, or the first one that others can reach', () => {
  const interfaces = { lo: [info('127.0.0.1', true)], eth0: [info('10.0.0.7'), info('10.0.0.8')] };
  expect(advertised({ host: '127.0.0.1', port: 7070 }, interfaces)).toBe('http://127.0.0.1:7070');
  expect(advertised({ host: '::1', port: 7070 }, interfaces)).toBe('http://[::1]:7070');
  expect(advertised({ host: '0.0.0.0', port: 7071 }, interfaces)).toBe('http://10.0.0.7:7071');
  expect(advertised({ host: '::', port: 7071 }, { lo: interfaces.lo })).toBe('http://127.0.0.1:7071');
  expect(advertised({ host: '0.0.0.0', port: 0 }, interfaces)).toBe('');
});
