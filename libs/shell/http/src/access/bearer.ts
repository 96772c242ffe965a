const BEARER = /^Bearer +(\S+) *$/i;

/** RFC 6750, 2.1; undefined: none is given. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}
