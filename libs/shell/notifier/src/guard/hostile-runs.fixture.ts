// Hosts by seed against the guard, with a resolver that says what the seed draws.
import { seededRandom } from '@flatline/base';
import { addressOf } from './addresses.ts';
import { allowedOf } from './allowed.ts';
import { addressesOf, checkConnected } from './guard.ts';
import { embedding, forbiddenV4, forbiddenV6, hostFor, publicV4, publicV6 } from './hostile-hosts.fixture.ts';

const NONE = allowedOf([]);
const never = () => Promise.reject(new Error('a literal address is not looked up'));

/** `found`: what the resolver says; undefined: it is not to be asked. */
async function passes(hostname: string, found: readonly string[] | undefined): Promise<boolean> {
  const resolve = found === undefined ? never : () => Promise.resolve(found);
  try {
    await addressesOf({ hostname, port: 443 }, NONE, resolve);
    return true;
  } catch (error) {
    if ((error as Error).name !== 'Refused') throw error;
    return false;
  }
}

/**
 * A name that is looked up well and says something else a moment later, or whose socket is brought elsewhere: true if anything but what
 * was looked at is used.
 */
async function isBroughtTo(bad: string, good: string): Promise<boolean> {
  const said = [[good], [bad]];
  const host = { hostname: 'hook.example', port: 443 };
  const used = await addressesOf(host, NONE, () => Promise.resolve(said.shift() ?? [bad]));
  if (said.length === 0 || used.some((each) => each !== good)) return true;
  try {
    checkConnected(bad, good, host, NONE);
    return true;
  } catch (error) {
    if ((error as Error).name !== 'Refused') throw error;
    return false;
  }
}

/**
 * Hosts that get through: literals in every notation, embedded addresses, names of whose addresses one is forbidden, and those that change
 * between the look-up and the connection.
 */
export async function hostileThrough(seed: number, count: number): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const through: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const v4 = random.chance(0.7);
    const isEmbedded = random.chance(0.3);
    const bad = isEmbedded ? embedding(random, forbiddenV4(random)) : v4 ? forbiddenV4(random) : forbiddenV6(random);
    if (random.chance(0.2)) {
      const good = random.chance(0.5) ? publicV4(random) : publicV6(random);
      if (await isBroughtTo(bad, good)) through.push(`${good}, then ${bad}`);
    } else if (random.chance(0.5)) {
      // A literal, as the URL parser hands it on; what it does not take as one is asked of the resolver.
      const host = bad.includes(':') ? `[${bad}]` : hostFor(random, bad);
      if (!URL.canParse(`http://${host}/`)) continue;
      const hostname = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '');
      if (await passes(hostname, addressOf(hostname) === undefined ? [bad] : undefined)) through.push(host);
    } else {
      const found = [publicV4(random), publicV6(random)].slice(0, random.below(3));
      found.splice(random.below(found.length + 1), 0, bad);
      if (await passes('hook.example', found)) through.push(found.join(' '));
    }
  }
  return through;
}

export async function publicRefused(seed: number, count: number): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const refused: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const v4 = publicV4(random);
    const good = random.chance(0.5) ? v4 : random.chance(0.5) ? publicV6(random) : embedding(random, v4);
    const isLiteral = random.chance(0.5);
    if (!(await passes(isLiteral ? good : 'hook.example', isLiteral ? undefined : [good]))) refused.push(good);
  }
  return refused;
}
