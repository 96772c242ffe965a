// The files that a secured broker and its clients need, below the broker's data directory: `secured/`.
//
// Owns: the files and the users in them.
// Does not own: listeners and ports (secured-properties.ts).
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issue, type KeyAndCertificate, makeAuthority } from './certificates.ts';

/** May do everything, by each mechanism. */
export const SECURED_USER = 'flatline';
/** May log in, and do only what an ACL allows. */
export const SECURED_GUEST = 'guest';

const USERS = [SECURED_USER, SECURED_GUEST];

export function isUser(name: string): boolean {
  return USERS.includes(name);
}

/** The one key that signs tokens. */
export const TOKEN_KEY_ID = 'flatline-development';

export interface SecuredUser {
  readonly name: string;
  readonly password: string;
}

export interface SecuredFiles {
  readonly folder: string;
  /** The authority that clients trust (PEM). */
  readonly ca: string;
  /** Key and certificate of the nodes, in one file (PEM). */
  readonly server: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
  /** Verifies tokens: the public part of the key that signs them, as a set of keys (RFC 7517). */
  readonly tokenKeys: string;
  /** Each user's password, alone in its file. */
  readonly passwordOf: (user: string) => string;
}

function securedFiles(dataDir: string): SecuredFiles {
  const folder = join(dataDir, 'secured');
  const at = (name: string): string => join(folder, name);
  return {
    folder,
    ca: at('ca.crt'),
    server: at('server.pem'),
    clientCertificate: at('client.crt'),
    clientKey: at('client.key'),
    tokenKeys: at('tokens.jwks.json'),
    passwordOf: (user) => at(`${user}.password`),
  };
}

/** True if the data directory was made for a secured broker. */
export function isSecured(dataDir: string): boolean {
  return existsSync(securedFiles(dataDir).server);
}

/** Makes the files that are missing. `now`: milliseconds since the epoch. */
export function makeSecuredFiles(dataDir: string, now: number): SecuredFiles {
  const files = securedFiles(dataDir);
  mkdirSync(files.folder, { recursive: true, mode: 0o700 });
  for (const user of USERS)
    if (!existsSync(files.passwordOf(user))) writeSecret(files.passwordOf(user), randomBytes(18).toString('base64url'));
  if (!existsSync(files.tokenKeys)) makeTokenKey(files);
  if (isSecured(dataDir)) return files;
  renewAuthority(dataDir, now);
  renewClientCertificate(dataDir, now);
  // Last: its presence means that the others exist.
  renewServerCertificate(dataDir, now);
  return files;
}

/** Makes a new authority, which has not signed anything yet. */
export function renewAuthority(dataDir: string, now: number): void {
  const files = securedFiles(dataDir);
  const authority = makeAuthority(now);
  writeFileSync(files.ca, authority.certificate);
  writeSecret(join(files.folder, 'ca.key'), authority.key);
}

/** Makes a new key and certificate for clients, signed by the present authority. */
export function renewClientCertificate(dataDir: string, now: number): void {
  const files = securedFiles(dataDir);
  const client = issue(authorityIn(files), { commonName: SECURED_USER, forLoopback: false }, now);
  writeFileSync(files.clientCertificate, client.certificate);
  writeSecret(files.clientKey, client.key);
}

/** Makes a new key and certificate for the nodes, signed by the same authority. They load it when told to. */
export function renewServerCertificate(dataDir: string, now: number): void {
  const files = securedFiles(dataDir);
  const server = issue(authorityIn(files), { commonName: 'localhost', forLoopback: true }, now);
  writeSecret(files.server, `${server.key}${server.certificate}`);
}

function authorityIn({ folder, ca }: SecuredFiles): KeyAndCertificate {
  return { key: readFileSync(join(folder, 'ca.key'), 'utf8'), certificate: readFileSync(ca, 'utf8') };
}

function makeTokenKey({ folder, tokenKeys }: SecuredFiles): void {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  writeSecret(join(folder, 'tokens.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const key = { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: TOKEN_KEY_ID, use: 'sig', alg: 'RS256' };
  writeFileSync(tokenKeys, JSON.stringify({ keys: [key] }));
}

export function securedUsers(files: SecuredFiles): SecuredUser[] {
  return USERS.map((name) => ({ name, password: readFileSync(files.passwordOf(name), 'utf8') }));
}

function writeSecret(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}
