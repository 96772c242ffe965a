// What who holds a lease and who waits for it take in the changelog (docs/FORMATS.md, Changelog), by what they say.
import { varintBytes } from '../../logs/varint-bytes.ts';

/** docs/SPEC.md, L4. */
const STATE_BYTES_MAX = 64_000_000;
/** At most, of the length of a text, and of the four numbers of one that waits. */
const LENGTH_BYTES = 8;
const NUMBERS_BYTES = 32;

interface Claim {
  readonly requestId: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
}

interface Waiting extends Claim {
  readonly offset: number;
  readonly timeoutMs: number;
  readonly until: number;
}

const utf8 = new TextEncoder();

/** Whether all of them may be kept (L4). */
export function isWithinLimit(holder: Claim, waiting: readonly Waiting[]): boolean {
  const claims = [holder, ...waiting];
  // Nearly always: what the characters can come to at most is cheaper than what they do.
  const most = claims.flatMap(textsOf).reduce((sum, { length }) => sum + LENGTH_BYTES + 3 * length, 0);
  if (most + NUMBERS_BYTES * claims.length <= STATE_BYTES_MAX) return true;
  const numbers = waiting.flatMap(({ offset, timeoutMs, until }) => [offset, timeoutMs, until].map(varintBytes));
  const sizes = [varintBytes(waiting.length), ...numbers, ...claims.map(claimBytes)];
  return sizes.reduce((sum, bytes) => sum + bytes, 0) <= STATE_BYTES_MAX;
}

function claimBytes(claim: Claim): number {
  const lengths = textsOf(claim).map((text) => utf8.encode(text).length);
  const pairs = varintBytes(Object.keys(claim.attributes).length);
  return lengths.reduce((sum, length) => sum + varintBytes(length) + length, pairs);
}

function textsOf({ requestId = '', attributes }: Claim): string[] {
  return [requestId, ...Object.entries(attributes).flat()];
}
