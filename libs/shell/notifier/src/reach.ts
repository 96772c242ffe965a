// Tells if an endpoint may be reached, for whoever looks before anything is sent.
import { type Clock, Misconfigured } from '@flatline/base';
import type { EndpointConfig } from '@flatline/config';
import { allowedOf } from './guard/allowed.ts';
import { addressesOf, forbiddenLiteral } from './guard/guard.ts';
import { type Resolve, systemResolve } from './guard/resolver.ts';

type Reached = Pick<EndpointConfig, 'name' | 'target' | 'allow'>;

/** @throws Misconfigured where its address is written down, and may not be reached */
export function requireReachable({ name, target, allow }: Reached): void {
  if ('command' in target) return;
  const why = forbiddenLiteral(new URL(target.url), allowedOf(allow));
  if (why !== undefined) throw new Misconfigured(`notifier.endpoints: ${name}: ${why}`);
}

/** Addresses that its host has now. Rejects where there is none, none is told, or one of them may not be reached. */
export function lookUpEndpoint(
  url: string,
  allow: readonly string[],
  { clock, resolve = systemResolve(clock) }: { readonly clock: Clock; readonly resolve?: Resolve },
): Promise<readonly string[]> {
  const { hostname, port, protocol } = new URL(url);
  const host = { hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
  return addressesOf(host, allowedOf(allow), resolve);
}
