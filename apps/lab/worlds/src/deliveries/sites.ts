// The sites that webhooks are sent to, and the names by which they are found: well, or in one of many ways not.
//
// Owns: each site's mood, which changes while the world is rough.
// Does not own: sockets (SimulatedWeb).
import type { DurationMs, Random } from '@flatline/base';

export const MOODS = [
  'well',
  'slow',
  'failing',
  'silent',
  'refusing',
  'asking',
  'redirecting',
  'flooding',
  'dripping',
  'turned',
  'inside',
  'rebound',
  'unresolvable',
  'gone',
] as const;

export type Mood = (typeof MOODS)[number];

/** Addresses that no webhook may reach (N5), each in another notation. */
const INSIDE = [
  '10.0.0.7',
  '169.254.169.254',
  '127.0.0.1',
  '::1',
  '::ffff:10.0.0.7',
  '::7f00:1',
  '64:ff9b::a00:7',
  '::ffff:0:a00:7',
  'fd00::7',
  '2002:a00:7::1',
  '100.64.0.7',
] as const;

export interface Site {
  readonly endpoint: string;
  readonly hostname: string;
  /** Where it stands, open to all. */
  readonly address: string;
  mood: Mood;
  /** It has once answered that it wants nothing more. */
  saidGone: boolean;
}

/** Open to all, and no site's. */
const ELSEWHERE = '198.41.0.4';

const CHANGES = 0.01;
const GONE = 0.2;

export class Sites {
  readonly all: readonly Site[];
  readonly #random: Random;

  constructor(endpoints: readonly string[], random: Random) {
    this.#random = random;
    this.all = endpoints.map((endpoint, i) => ({
      endpoint,
      hostname: `${endpoint}.example`,
      address: `93.184.216.${10 + i}`,
      mood: 'well',
      saidGone: false,
    }));
  }

  /** Some are in another mood. Returns which came. */
  act(): readonly Mood[] {
    const random = this.#random;
    return this.all.flatMap((site) => {
      if (!random.chance(CHANGES)) return [];
      const mood = MOODS[random.below(MOODS.length)]!;
      // Rare, since nothing is delivered to it any more.
      if (mood === 'gone' && !random.chance(GONE)) return [];
      site.mood = random.chance(0.4) ? 'well' : mood;
      return [site.mood];
    });
  }

  heal(): void {
    for (const site of this.all) site.mood = 'well';
  }

  /** All that its name says. */
  addressesOf(hostname: string): readonly string[] {
    const site = this.all.find((each) => each.hostname === hostname);
    if (site === undefined || site.mood === 'unresolvable') throw new Error(`getaddrinfo ENOTFOUND ${hostname}`);
    const inside = INSIDE[this.#random.below(INSIDE.length)]!;
    if (site.mood === 'inside') return [inside];
    if (site.mood === 'turned') return this.#random.chance(0.5) ? [site.address, inside] : [inside, site.address];
    return [site.address];
  }

  /** Connects to an address: to one that something in between has put in its place, or to nothing. */
  reachedAt(address: string): string | undefined {
    const site = this.all.find((each) => each.address === address);
    if (site?.mood === 'refusing') return undefined;
    if (site?.mood !== 'rebound') return address;
    return this.#random.chance(0.5) ? ELSEWHERE : INSIDE[this.#random.below(INSIDE.length)]!;
  }

  /** undefined: it never answers. */
  answerOf(
    site: Site,
  ): { readonly status: number; readonly afterMs: DurationMs; readonly headers: Record<string, string> } | undefined {
    const random = this.#random;
    const afterMs = random.below(site.mood === 'slow' ? 2_500 : 40);
    switch (site.mood) {
      case 'silent':
        return undefined;
      case 'asking':
        return { status: 503, afterMs, headers: { 'retry-after': String(1 + random.below(40)) } };
      case 'redirecting':
        return { status: 302, afterMs, headers: { location: 'http://169.254.169.254/latest/meta-data' } };
      case 'gone':
        site.saidGone = true;
        return { status: 410, afterMs, headers: {} };
      case 'failing':
      case 'flooding':
      case 'dripping':
        return { status: 500, afterMs, headers: {} };
      default:
        return { status: 200 + random.below(3), afterMs, headers: {} };
    }
  }
}

/** True if it is one that must not be reached. */
export function isInside(address: string): boolean {
  return (INSIDE as readonly string[]).includes(address);
}

/** How long a site asks to be left alone. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): DurationMs | undefined {
  const said = headers['retry-after'];
  return said === undefined ? undefined : Number(said) * 1_000;
}
