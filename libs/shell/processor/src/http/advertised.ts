import { networkInterfaces } from 'node:os';
import type { HttpConfig } from '@flatline/config';

type Address = Pick<HttpConfig, 'host' | 'port' | 'advertised'> & Partial<Pick<HttpConfig, 'protection'>>;

/**
 * Where the other instances, and their readers, are told to find this one: as configured, else its address, or this machine's first
 * one to the outside where it listens on all. Empty: it is not known, since the port is any free one, which a supervisor has bound.
 */
export function advertised(
  { host, port, advertised, protection }: Address,
  interfaces?: ReturnType<typeof networkInterfaces>,
): string {
  const scheme = protection?.tls === 'here' ? 'https' : 'http';
  if (advertised !== undefined) return `${scheme}://${advertised}`;
  if (port === 0) return '';
  if (host !== '0.0.0.0' && host !== '::') return `${scheme}://${inUrl(host)}:${port}`;
  const outer = Object.values(interfaces ?? networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal }) => !internal),
  );
  const { address } = outer.find(({ family }) => family === 'IPv4') ?? outer[0] ?? { address: '127.0.0.1' };
  return `${scheme}://${inUrl(address)}:${port}`;
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
