import { accessTokenHash, isAccessToken } from '@flatline/system';
import { timingSafeEqual } from 'node:crypto';
import type { Caller, Role } from './roles.ts';

export interface HashedToken {
  readonly name: string;
  readonly role: Role;
  /** Of `accessTokenHash`. */
  readonly hash: string;
}

export class AccessTokens {
  readonly #tokens: readonly { readonly hash: Buffer; readonly caller: Caller }[];

  constructor(tokens: readonly HashedToken[]) {
    this.#tokens = tokens.map(({ name, role, hash }) => ({ hash: Buffer.from(hash), caller: { name, role } }));
  }

  /** Looks at all of them, each in the same time. */
  callerOf(token: string): Caller | undefined {
    if (!isAccessToken(token)) return undefined;
    const given = Buffer.from(accessTokenHash(token));
    let found: Caller | undefined;
    for (const { hash, caller } of this.#tokens)
      if (hash.length === given.length && timingSafeEqual(hash, given)) found = caller;
    return found;
  }
}
