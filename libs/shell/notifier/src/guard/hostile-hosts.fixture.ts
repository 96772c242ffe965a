// Hosts and addresses by seed: those that a webhook must not reach, in every notation that leads there, and public ones.
//
// The ranges are written out here from the registries of IANA (special-purpose addresses), not taken from what is tested.
import type { Random } from '@flatline/base';

/** Prefix and length. */
const FORBIDDEN_V4: readonly (readonly [number, number])[] = [
  [v4(0, 0, 0, 0), 8],
  [v4(10, 0, 0, 0), 8],
  [v4(100, 64, 0, 0), 10],
  [v4(127, 0, 0, 0), 8],
  [v4(169, 254, 0, 0), 16],
  [v4(172, 16, 0, 0), 12],
  [v4(192, 0, 0, 0), 24],
  [v4(192, 0, 2, 0), 24],
  [v4(192, 88, 99, 0), 24],
  [v4(192, 168, 0, 0), 16],
  [v4(198, 18, 0, 0), 15],
  [v4(198, 51, 100, 0), 24],
  [v4(203, 0, 113, 0), 24],
  [v4(224, 0, 0, 0), 4],
  [v4(240, 0, 0, 0), 4],
  [v4(192, 31, 196, 0), 24],
  [v4(192, 52, 193, 0), 24],
  [v4(192, 175, 48, 0), 24],
];

function v4(a: number, b: number, c: number, d: number): number {
  return a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
}

function within([prefix, bits]: readonly [number, number], address: number): boolean {
  const size = 2 ** (32 - bits);
  return Math.floor(address / size) === Math.floor(prefix / size);
}

function isForbidden(address: number): boolean {
  return FORBIDDEN_V4.some((range) => within(range, address));
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

function word(random: Random): string {
  return random.below(65_536).toString(16);
}

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => word(random)).join(':');
}

function oneOf<T>(random: Random, all: readonly T[]): T {
  return all[random.below(all.length)]!;
}

export function forbiddenV4(random: Random): string {
  const [prefix, bits] = oneOf(random, FORBIDDEN_V4);
  return dotted(prefix + random.below(2 ** (32 - bits)));
}

export function publicV4(random: Random): string {
  for (;;) {
    const address = random.below(2 ** 32);
    if (!isForbidden(address)) return dotted(address);
  }
}

/** The same address, written within IPv6 in one of the ways that lead to it. */
export function embedding(random: Random, address: string): string {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const prefix = oneOf(random, '::ffff: 0:0:0:0:0:ffff: ::ffff:0: 64:ff9b:: 64:ff9b:0:0:0:0: :: ::FFFF:'.split(' '));
  return prefix + (random.chance(0.5) ? hex : address);
}

export function forbiddenV6(random: Random): string {
  const prefixes = (
    ':: ::1 fe80:: febf: fec0:: fc00:: fd12: ff02:: ff0e: 100:: 64:ff9b:1: 2001:db8: 2001:0: 2001:10: 2001:20: 2002: ' +
    '3fff:0: 4000: 8000: e000: 5f00: 1:'
  ).split(' ');
  const prefix = oneOf(random, prefixes);
  if (prefix === '::' || prefix === '::1') return prefix;
  if (prefix.endsWith('::')) return prefix + words(random, 2);
  return `${prefix}${words(random, 8 - prefix.split(':').length + 1)}`;
}

/** Given out to providers (2400::/12, 2600::/12, 2800::/12, 2a00::/12, 2c00::/12). */
export function publicV6(random: Random): string {
  return `${oneOf(random, ['2400', '2606', '2800', '2a00', '2c0f'])}:${words(random, 7)}`;
}

/** A URL's host for an IPv4 address, in a notation that the URL parser or a resolver takes for it. */
export function hostFor(random: Random, address: string): string {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const all = v4(a, b, c, d);
  return oneOf(random, [
    address,
    `${address}.`,
    String(all),
    `0x${all.toString(16)}`,
    `0${all.toString(8)}`,
    `${a}.${v4(0, b, c, d)}`,
    `${a}.${b}.${v4(0, 0, c, d)}`,
    `0x${a.toString(16)}.0${b.toString(8)}.${c}.0x${d.toString(16)}`,
    address.replaceAll('.', '。'),
    address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    `%${address.charCodeAt(0).toString(16)}${address.slice(1)}`,
  ]);
}
