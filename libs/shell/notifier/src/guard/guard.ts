// Whom a webhook may reach (N5): decided over addresses, before anything is sent.
//
// A name is looked up once; if any of its addresses is forbidden none is used, and what is connected to is one of those that were
// looked at, not what the name says a moment later.
import type { Resolve } from './resolver.ts';
import { addressOf, isPublic, isSame } from './addresses.ts';
import type { Allowed } from './allowed.ts';

/** The host may not be reached, or is none. */
class Refused extends Error {
  override readonly name = 'Refused';
}

export interface Host {
  /** As in a URL, without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** Addresses that may be connected to, one at least. @throws Refused; what `resolve` rejects with */
export async function addressesOf(host: Host, allowed: Allowed, resolve: Resolve): Promise<readonly string[]> {
  const { hostname } = host;
  const isLiteral = addressOf(hostname) !== undefined;
  const found = isLiteral ? [hostname] : await resolve(hostname);
  if (found.length === 0) throw new Refused(`${hostname} has no address`);
  for (const address of found) {
    const why = whyForbidden(address, host, allowed);
    if (why !== undefined) throw new Refused(why);
  }
  return found;
}

/** @throws Refused where a socket has not come where it was sent, or may not be there. */
export function checkConnected(connected: string | undefined, meant: string, host: Host, allowed: Allowed): void {
  const address = addressOf(connected ?? '');
  const wanted = addressOf(meant);
  if (address === undefined || wanted === undefined || !isSame(address, wanted))
    throw new Refused(`${host.hostname} was to be reached at ${meant}, and is connected to ${connected ?? 'nothing'}`);
  const why = whyForbidden(connected!, host, allowed);
  if (why !== undefined) throw new Refused(why);
}

function whyForbidden(text: string, { hostname, port }: Host, allowed: Allowed): string | undefined {
  const address = addressOf(text);
  if (address === undefined) return `${hostname} has the address ${text}, which is none that can be checked`;
  if (allowed.host(hostname, port) || allowed.address(address) || isPublic(address)) return undefined;
  const name = hostname === text ? text : `${hostname} (${text})`;
  return `${name} is no public address: name the host, host:port or range in "allow" if it may be reached`;
}

/** Why the address that a URL names may not be reached; undefined: it may, or it names none. */
export function forbiddenLiteral({ hostname, port, protocol }: URL, allowed: Allowed): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (addressOf(bare) === undefined) return undefined;
  return whyForbidden(bare, { hostname: bare, port: Number(port) || (protocol === 'https:' ? 443 : 80) }, allowed);
}
