// Hosts, ports and ranges that an endpoint may reach although they are not public (`allow`).
import ipaddr from 'ipaddr.js';
import { addressOf, unmapped } from './addresses.ts';

export interface Allowed {
  /** True if the host is allowed by its name: then its addresses are. */
  readonly host: (hostname: string, port: number) => boolean;
  /** True if the address is in a range that is allowed. */
  readonly address: (address: ipaddr.IPv4 | ipaddr.IPv6) => boolean;
}

/** Entries are `host`, `host:port`, `[v6]:port`, or a range as `10.0.0.0/8`. */
export function allowedOf(entries: readonly string[]): Allowed {
  const ranges = entries.filter((entry) => entry.includes('/')).map((entry) => ipaddr.parseCIDR(entry));
  const hosts = entries.filter((entry) => !entry.includes('/')).map(hostIn);
  return {
    host: (hostname, port) =>
      hosts.some((each) => each.host === normal(hostname) && (each.port === undefined || each.port === port)),
    address: (address) => {
      const reached = unmapped(address);
      return ranges.some(([range, bits]) => range.kind() === reached.kind() && reached.match(range, bits));
    },
  };
}

function hostIn(entry: string): { readonly host: string; readonly port: number | undefined } {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry);
  const named = bracketed ?? /^([^:]*)(?::(\d+))?$/.exec(entry);
  const [, host = entry, port] = named ?? [];
  return { host: normal(host), port: port === undefined ? undefined : Number(port) };
}

function normal(hostname: string): string {
  const address = addressOf(hostname);
  return address === undefined ? hostname.toLowerCase().replace(/\.$/, '') : address.toString();
}
