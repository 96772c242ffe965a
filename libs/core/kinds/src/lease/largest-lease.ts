// The longest event that a pipeline's rules allow: what must fit a record of the output.
import { type LeaseEvent, REQUEST_ID_LENGTH_MAX } from '@flatline/ports/formats';
import type { LeaseRules } from './lease-rules.ts';
import type { Claim } from './lease-state.ts';

const GREATEST = Number.MAX_SAFE_INTEGER;

export function largestLeaseEvent(rules: LeaseRules, key: Uint8Array, alphabet: string): LeaseEvent {
  const { requestId, attributes } = largestClaim(rules, alphabet);
  return {
    key,
    type: 'REJECTED',
    token: GREATEST,
    requestId,
    reason: 'MAX_DURATION',
    holder: attributes,
    retryAt: GREATEST,
    timeoutMs: GREATEST,
    grantedAt: GREATEST,
    deadlineAt: GREATEST,
    at: GREATEST,
    renewals: GREATEST,
    endsAt: GREATEST,
    heldMs: GREATEST,
    attributes,
    partition: 2 ** 31 - 1,
    offset: GREATEST,
  };
}

/** As many attributes as there may be, with the shortest names: each has lengths of its own. */
function largestClaim({ maxAttributes, maxAttributeBytes }: LeaseRules, alphabet: string): Claim {
  const attributes = new Map<string, string>();
  let left = maxAttributeBytes;
  for (let i = 0; i < maxAttributes; i += 1) {
    const name = nameOf(i, alphabet);
    if (name.length > left) break;
    left -= name.length;
    attributes.set(name, '');
  }
  const [first] = attributes.keys();
  if (first !== undefined) attributes.set(first, alphabet[0]!.repeat(left));
  return { requestId: alphabet[0]!.repeat(REQUEST_ID_LENGTH_MAX), attributes };
}

/** The `number`th of all texts, the shortest first; the empty one is the first. */
function nameOf(number: number, alphabet: string): string {
  let name = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / alphabet.length))
    name = alphabet[(rest - 1) % alphabet.length]! + name;
  return name;
}
