// The section `http`: its form, what a port beyond loopback needs, and what its files say.
import { isAccessToken, isAccessTokenHash } from '@flatline/system';
import { secret } from '@flatline/kind-modules/form';
import { isIP } from 'node:net';
import { z } from 'zod';
import { type CrossFinding, finding } from './cross-finding.ts';
import type { HttpCertificate, HttpConfig, HttpSecrets, HttpToken } from './flatline-config.ts';
import type { SecretReader } from './secrets.ts';

/** host:port, or [ipv6]:port. */
export const hostAndPort = z
  .string()
  .regex(/^(?:\[[0-9a-fA-F:.]+\]|[^:\s[\]]+):\d{1,5}$/, 'host:port, for example 127.0.0.1:9092')
  .refine(hasPort, 'host:port with a port from 1 to 65535');

function hasPort(address: string): boolean {
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  return !(port < 1 || port > 65_535);
}

const TERMINATED = 'terminated';
const TLS_IS = `{ "cert": "cert.pem", "key": { "file": "key.pem" } }, or "${TERMINATED}" where a proxy or a mesh ends TLS before this process`;
const HASH_IS = 'sha256:…, as `flatline http token` prints it, or { "file": "…" } or { "env": "…" } with that in it';
/** Each is compared with every token that is given. */
const TOKENS_MAX = 64;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

const certificate = z.strictObject({ cert: z.string().min(1), key: secret, passphrase: secret.optional() });
const tls = certificate.extend({ ca: z.string().min(1).optional() });

/** A port whose callers have no certificates. */
export const tlsOfSenders = z.union([z.literal(TERMINATED), certificate], { error: TLS_IS }).optional();

/** Callers without an entry of their own have these names in the audit line: other instances, and whoever asks a port without tokens. */
const TAKEN_NAMES = ['group', 'loopback'];
const TAKEN = `a name other than ${TAKEN_NAMES.map((each) => `"${each}"`).join(' and ')}, which the audit line gives other instances and callers without a token`;

const token = z.strictObject({
  name: z
    .string()
    .regex(NAME, 'up to 64 letters, digits, ".", "_", "@" and "-"')
    .refine((name) => !TAKEN_NAMES.includes(name), TAKEN),
  role: z.enum(['read', 'admin']),
  hash: z.union([z.string().refine(isAccessTokenHash, HASH_IS), secret], { error: HASH_IS }),
});

const oidc = z.strictObject({
  issuer: z.url({ protocol: /^https?$/, error: 'a URL: https://…' }),
  audience: z.string().min(1),
  roleClaim: z.string().min(1).max(256).default('roles'),
});

export const http = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(7_070),
  advertised: hostAndPort.optional(),
  tls: z.union([z.literal(TERMINATED), tls], { error: TLS_IS }).optional(),
  auth: z
    .strictObject({
      tokens: z.array(token).max(TOKENS_MAX).default([]),
      oidc: oidc.optional(),
      group: secret.optional(),
    })
    .optional(),
  maxConnections: z.int().min(16).max(1_000_000).default(12_000),
  maxPerSecond: z.int().min(1).max(1_000_000).default(10_000),
});

export type HttpSection = z.output<typeof http>;

export function httpChecks({ host, tls, auth }: HttpSection): CrossFinding[] {
  const found: CrossFinding[] = [];
  const lacking = [...(tls === undefined ? [LACKING.tls] : []), ...(auth === undefined ? [LACKING.auth] : [])];
  if (!isLoopback(host) && lacking.length > 0) {
    const problem = `beyond loopback it needs ${lacking.join(', and ')}. Or listen on 127.0.0.1`;
    found.push(finding('http.host', host, problem, ['http.tls', 'http.auth']));
  }
  if (auth === undefined) return found;
  if (auth.tokens.length === 0 && auth.oidc === undefined)
    found.push(
      finding('http.auth', undefined, `needs tokens (${TOKENS_ARE}) or oidc`, ['http.auth.tokens', 'http.auth.oidc']),
    );
  return [...found, ...twice(auth.tokens), ...issuerChecks(auth)];
}

const TOKENS_ARE = '`flatline http token` makes one';
const LACKING = {
  tls: `http.tls (${TLS_IS})`,
  auth: `http.auth, with tokens (${TOKENS_ARE}) or oidc`,
};

type AuthSection = NonNullable<HttpSection['auth']>;

function twice(tokens: AuthSection['tokens']): CrossFinding[] {
  return tokens.flatMap(({ name }, i) => {
    const first = tokens.findIndex((other) => other.name === name);
    const problem = `another token has this name (http.auth.tokens[${first}]), by which the audit line tells them apart`;
    return first < i ? [finding(`http.auth.tokens[${i}].name`, name, problem)] : [];
  });
}

function issuerChecks({ oidc }: AuthSection): CrossFinding[] {
  if (oidc === undefined) return [];
  const url = new URL(oidc.issuer);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return [finding('http.auth.oidc.issuer', oidc.issuer, 'an address without user, query and fragment')];
  if (url.protocol === 'https:' || isLoopback(url.hostname.replace(/^\[|\]$/g, ''))) return [];
  const problem = 'https://…, since its answers say whose tokens are taken; http:// on loopback only';
  return [finding('http.auth.oidc.issuer', oidc.issuer, problem)];
}

/** A name that means loopback is one only where everybody agrees on it. */
function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/** Without `isUsed` none of its secrets is read. */
export function httpOf(section: HttpSection, secrets: SecretReader, isUsed: boolean): HttpConfig {
  const { host, port, advertised, tls, auth, maxConnections, maxPerSecond } = section;
  const common = { host, port, ...(advertised !== undefined && { advertised }), maxConnections, maxPerSecond };
  if (tls === undefined && auth === undefined) return { ...common, protection: undefined };
  if (isUsed) secretsOf(section, secrets);
  const isHere = typeof tls === 'object';
  return {
    ...common,
    protection: {
      tls: isHere ? 'here' : tls === TERMINATED ? 'before' : undefined,
      caFile: isHere && tls.ca !== undefined ? secrets.place(tls.ca) : undefined,
      auth: auth && { oidc: auth.oidc },
      secrets: () => secrets.now((again) => secretsOf(section, again)),
    },
  };
}

function secretsOf({ tls, auth }: HttpSection, secrets: SecretReader): HttpSecrets {
  const certificate = typeof tls === 'object' ? certificateOf(tls, secrets) : undefined;
  const group = auth?.group && secrets.token('http.auth.group', auth.group);
  if (group !== undefined && !isAccessToken(group))
    secrets.refuse(
      'http.auth.group',
      auth!.group!,
      `no token that \`flatline http token\` made: it would not be taken`,
    );
  return { certificate, tokens: (auth?.tokens ?? []).map((each, i) => hashedToken(each, i, secrets)), group };
}

function certificateOf({ ca, ...own }: z.output<typeof tls>, secrets: SecretReader): HttpCertificate {
  return {
    ...certificateIn('http.tls', own, secrets),
    ...(ca !== undefined && { ca: secrets.file('http.tls.ca', ca) ?? '' }),
  };
}

function certificateIn(
  setting: string,
  { cert, key, passphrase }: z.output<typeof certificate>,
  secrets: SecretReader,
): HttpCertificate {
  return {
    cert: secrets.file(`${setting}.cert`, cert) ?? '',
    key: secrets.read(`${setting}.key`, key) ?? '',
    ...(passphrase !== undefined && { passphrase: secrets.read(`${setting}.passphrase`, passphrase) ?? '' }),
  };
}

/** Certificate of the port of `ingest`, read each time it is asked for; undefined: TLS does not end here. */
export function senderCertificate(
  tlsSection: z.output<typeof tlsOfSenders>,
  secrets: SecretReader,
): (() => HttpCertificate) | undefined {
  if (typeof tlsSection !== 'object') return undefined;
  certificateIn('ingest.tls', tlsSection, secrets);
  return () => secrets.now((again) => certificateIn('ingest.tls', tlsSection, again));
}

/** H1, of the port on which senders are always asked for a token. */
export function senderPortChecks({
  host,
  tls: given,
}: {
  readonly host: string;
  readonly tls?: z.output<typeof tlsOfSenders>;
}): CrossFinding[] {
  if (isLoopback(host) || given !== undefined) return [];
  const problem = `beyond loopback it needs ingest.tls (${TLS_IS}). Or listen on 127.0.0.1`;
  return [finding('ingest.host', host, problem, ['ingest.tls'])];
}

function hashedToken({ name, role, hash }: AuthSection['tokens'][number], i: number, secrets: SecretReader): HttpToken {
  if (typeof hash === 'string') return { name, role, hash };
  const setting = `http.auth.tokens[${i}].hash`;
  const text = secrets.token(setting, hash) ?? '';
  if (text !== '' && !isAccessTokenHash(text)) secrets.refuse(setting, hash, `expected ${HASH_IS}`);
  return { name, role, hash: text };
}
