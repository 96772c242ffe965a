import { expect, test } from '@jest/globals';
import { systemClock } from '@flatline/system';
import { endpointFindings } from './doctor-endpoints.ts';

const addresses: Record<string, readonly string[]> = {
  'crm.example': ['93.184.216.34'],
  'inner.example': ['10.0.0.7'],
};
const resolve = (hostname: string) => {
  const found = addresses[hostname];
  return found === undefined ? Promise.reject(new Error(`getaddrinfo ENOTFOUND ${hostname}`)) : Promise.resolve(found);
};
const surroundings = { clock: systemClock, env: { PATH: '/usr/bin:/bin' }, resolve };

const found = async (target: { readonly url: string } | { readonly command: readonly string[] }) => {
  const whole = 'url' in target ? target : { ...target, environment: () => ({}) };
  const [finding] = await endpointFindings([{ name: 'crm', target: whole, allow: [] }], surroundings);
  return `${finding!.outcome} ${finding!.what}: ${finding!.text}`;
};

test.each([
  [{ url: 'https://crm.example/hook' }, 'ok endpoint crm: crm.example has an address that may be reached'],
  [
    { url: 'http://127.0.0.1:8080/' },
    'wrong endpoint crm: notifier.endpoints: crm: 127.0.0.1 is no public address: name',
  ],
  [
    { url: 'https://inner.example/' },
    'wrong endpoint crm: inner.example (10.0.0.7) is no public address: name the host',
  ],
  [
    { url: 'https://gone.example/' },
    'warning endpoint crm: gone.example cannot be looked up here (getaddrinfo ENOTFOUND',
  ],
  [{ command: ['sh', '-c', 'true'] }, 'ok endpoint crm: the program /'],
  [{ command: ['/bin/sh'] }, 'ok endpoint crm: the program /bin/sh'],
  [{ command: ['nonesuch'] }, 'wrong endpoint crm: the program nonesuch is on no folder of PATH: install it'],
  [{ command: ['/nonesuch'] }, 'wrong endpoint crm: the program /nonesuch is none that can be executed: install it'],
])('[N5][I4] doctor looks at an endpoint, and sends nothing: %j', async (target, text) => {
  expect((await found(target)).slice(0, text.length)).toBe(text);
});
