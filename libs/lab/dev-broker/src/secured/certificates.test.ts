import { describe, expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { issue, makeAuthority } from './certificates.ts';

const NOW = Date.UTC(2026, 10, 1);

describe('certificates of a secured broker', () => {
  const authority = makeAuthority(NOW);
  const ca = new X509Certificate(authority.certificate);
  const server = new X509Certificate(issue(authority, { commonName: 'localhost', forLoopback: true }, NOW).certificate);
  const client = issue(authority, { commonName: 'flatline', forLoopback: false }, NOW);

  test('are signed by the authority, which signs itself', () => {
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(server.checkIssued(ca) && server.verify(ca.publicKey)).toBe(true);
    expect(server.verify(makeAuthorityKey())).toBe(false);
  });

  test('name loopback for a server, and nothing else', () => {
    expect(['localhost', '127.0.0.1', '::1'].map((name) => matches(server, name))).toEqual([true, true, true]);
    expect(matches(server, '127.0.0.2')).toBe(false);
    expect(new X509Certificate(client.certificate).subjectAltName).toBeUndefined();
  });

  test('name the principal, belong to their key, and are valid for years', () => {
    const certificate = new X509Certificate(client.certificate);
    expect(certificate.subject).toBe('CN=flatline');
    expect(client.key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(certificate.validFromDate.getTime()).toBeLessThan(NOW);
    expect(certificate.validToDate.getTime()).toBeGreaterThan(NOW + 9 * 365 * 86_400_000);
  });
});

function makeAuthorityKey(): X509Certificate['publicKey'] {
  return new X509Certificate(makeAuthority(NOW).certificate).publicKey;
}

function matches(certificate: X509Certificate, name: string): boolean {
  return (certificate.checkHost(name) ?? certificate.checkIP(name)) !== undefined;
}
