// Whose request it is: by a token of the configuration, by the group's, by one of an issuer, or by a certificate of the group's.
//
// Owns: the tokens as they were last read.
// Does not own: what a caller may ask (guard).
import type { FastifyRequest } from 'fastify';
import { AccessTokens, type HashedToken } from './access-tokens.ts';
import { bearerOf } from './bearer.ts';
import { isSameText } from './constant-time.ts';
import type { Admitting } from './guard.ts';
import type { Admission, Caller } from './roles.ts';
import { isAccessToken } from '@flatline/system';

/** Tokens of an issuer. */
export interface IssuedTokens {
  /** Never rejects. */
  admit(token: string): Admission | Promise<Admission>;
}

/** Certificates of other instances. */
export interface PeerCertificates {
  /** True: the other end has shown that it is an instance of the group. Never rejects. */
  isPeer(socket: FastifyRequest['raw']['socket']): boolean | Promise<boolean>;
}

export interface AdmittingParts {
  /** undefined: none is configured. */
  readonly issued: IssuedTokens | undefined;
  readonly peers: PeerCertificates | undefined;
}

export interface KnownTokens {
  readonly tokens: readonly HashedToken[];
  /** The token that instances of a group show each other; undefined: they have none. */
  readonly group: string | undefined;
}

const GROUP: Caller = { name: 'group', role: 'read' };
const NEEDED = 'a token is needed: Authorization: Bearer …; `flatline http token` makes one';
const STRANGER: Admission = { kind: 'stranger', why: NEEDED };
const WRONG: Admission = { kind: 'stranger', why: 'this token is not taken: it is none of http.auth' };

export class RequestAdmitting implements Admitting {
  readonly #parts: AdmittingParts;
  #tokens = new AccessTokens([]);
  #group: string | undefined;

  constructor(parts: AdmittingParts) {
    this.#parts = parts;
  }

  take({ tokens, group }: KnownTokens): void {
    this.#tokens = new AccessTokens(tokens);
    this.#group = group;
  }

  admit({ headers, raw }: FastifyRequest): Admission | Promise<Admission> {
    const { issued, peers } = this.#parts;
    const { authorization } = headers;
    if (authorization === undefined) {
      const isPeer = peers?.isPeer(raw.socket) ?? false;
      return isPeer instanceof Promise ? isPeer.then(byCertificate) : byCertificate(isPeer);
    }
    const token = bearerOf(authorization);
    if (token === undefined) return STRANGER;
    if (!isAccessToken(token)) return issued?.admit(token) ?? WRONG;
    const isGroup = this.#group !== undefined && isSameText(this.#group, token);
    const caller = this.#tokens.callerOf(token) ?? (isGroup ? GROUP : undefined);
    return caller === undefined ? WRONG : { kind: 'caller', caller };
  }
}

const AS_GROUP: Admission = { kind: 'caller', caller: GROUP };

function byCertificate(isPeer: boolean): Admission {
  return isPeer ? AS_GROUP : STRANGER;
}
