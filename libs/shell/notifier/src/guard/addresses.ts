// Addresses that a webhook may reach (N5): public unicast, and nothing that leads elsewhere by being rewritten on its way.
//
// ipaddr.js knows the ranges, and not all of this: `::7f00:1` (IPv4-compatible) and 64:ff9b:1::/48 (RFC 8215) are unicast to it, as is
// every IPv6 prefix that was never given out.
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Prefixes of 96 bits whose last 32 are an IPv4 address that is reached in the end. */
const EMBEDDING: readonly ipaddr.IPv6[] = [
  // IPv4-mapped, translated (RFC 2765), by a gateway (RFC 6052), compatible (RFC 4291).
  ipaddr.IPv6.parse('::ffff:0:0'),
  ipaddr.IPv6.parse('::ffff:0:0:0'),
  ipaddr.IPv6.parse('64:ff9b::'),
  ipaddr.IPv6.parse('::'),
];
const EMBEDDING_BITS = 96;
/** All that is given out to anyone (RFC 4291, IANA). */
const GLOBAL: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** Parts of it that are no one's own: protocol assignments with Teredo, documentation, 6to4, the second documentation prefix. */
const SPECIAL: readonly (readonly [ipaddr.IPv6, number])[] = [
  [ipaddr.IPv6.parse('2001::'), 23],
  [ipaddr.IPv6.parse('2001:db8::'), 32],
  [ipaddr.IPv6.parse('2002::'), 16],
  [ipaddr.IPv6.parse('3fff::'), 20],
];

/** undefined: it is no address in the usual form, or one with a zone. */
export function addressOf(text: string): Address | undefined {
  // Other forms of IPv4, `127.1`, `0x7f000001`, `0177.0.0.1`, are taken by some and not by others.
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
  if (text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  return ipaddr.IPv6.parse(text);
}

/** The IPv4 address that an IPv6 address leads to; else itself. */
export function unmapped(address: Address): Address {
  if (address.kind() === 'ipv4') return address;
  const six = address as ipaddr.IPv6;
  if (!EMBEDDING.some((prefix) => six.match([prefix, EMBEDDING_BITS]))) return address;
  return new ipaddr.IPv4(six.toByteArray().slice(-4));
}

/** True if it is public unicast. */
export function isPublic(address: Address): boolean {
  const reached = unmapped(address);
  if (reached.kind() === 'ipv4') return reached.range() === 'unicast';
  const six = reached as ipaddr.IPv6;
  return six.match(GLOBAL) && six.range() === 'unicast' && !SPECIAL.some(([prefix, bits]) => six.match([prefix, bits]));
}

export function isSame(a: Address, b: Address): boolean {
  return unmapped(a).toString() === unmapped(b).toString();
}
