import { accessTokenDigest, digestOfHash, isAccessToken } from '@flatline/system';
import { timingSafeEqual } from 'node:crypto';
import type { Caller, Role } from './roles.ts';

export interface HashedToken {
  readonly name: string;
  readonly role: Role;
  /** As `accessTokenHash` makes it. */
  readonly hash: string;
}

export class AccessTokens {
  readonly #tokens: readonly { readonly digest: Buffer; readonly caller: Caller }[];

  constructor(tokens: readonly HashedToken[]) {
    this.#tokens = tokens.map(({ name, role, hash }) => ({ digest: digestOfHash(hash), caller: { name, role } }));
  }

  /** Looks at all of them, each in the same time. */
  callerOf(token: string): Caller | undefined {
    if (!isAccessToken(token)) return undefined;
    const given = accessTokenDigest(token);
    let found: Caller | undefined;
    for (const { digest, caller } of this.#tokens)
      if (digest.length === given.length && timingSafeEqual(digest, given)) found = caller;
    return found;
  }
}
