// The address that gives tokens, and what is said beside them, as a configuration and the SDK take both.

/** KIP-342. Anything else would end what is said, or be taken for the token. */
export const EXTENSION_NAME = /^(?!auth$)[A-Za-z]+$/;
export const EXTENSION_TEXT = /^[\x20-\x7E\t\r\n]+$/;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Problem of an endpoint's URL; undefined: none. It gets the client's secret, which goes in clear to loopback alone. */
export function tokenEndpointProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'a URL: https://…';
  if (url.username !== '' || url.password !== '')
    return 'an address without user and password: they are clientId and clientSecret';
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    return 'https://…, since the secret of the client goes along; http:// to loopback only';
  return undefined;
}
