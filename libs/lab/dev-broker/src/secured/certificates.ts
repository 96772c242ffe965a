// X.509 for listeners on loopback: an authority of our own, and certificates signed by it. Node makes keys but no certificates.
import forge from 'node-forge';
import { generateKeyPairSync, privateEncrypt, randomBytes } from 'node:crypto';

const DAYS_VALID = 3_650;
const RSA_BITS = 2_048;

/** All of it PEM; the key is PKCS #8, unencrypted, as Kafka's own PEM stores want it. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

export interface CertificateRequest {
  /** Mapped to a principal by Kafka (KIP-371), and human-readable. */
  readonly commonName: string;
  /** True for a server: its certificate is for loopback, by name and by address. */
  readonly forLoopback: boolean;
  /** True for a server that shows it to other servers, too. Default: no. */
  readonly isPeer?: boolean;
}

/** `now`: milliseconds since the epoch. Certificates are valid from a day before, for ten years. */
export function makeAuthority(now: number): KeyAndCertificate {
  const { pair, certificate } = begin('Flatline development authority', now);
  certificate.setIssuer(certificate.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ]);
  sign(certificate, pair.key);
  return { key: pair.key, certificate: forge.pki.certificateToPem(certificate) };
}

export function issue(authority: KeyAndCertificate, request: CertificateRequest, now: number): KeyAndCertificate {
  const { pair, certificate } = begin(request.commonName, now);
  const issuer = forge.pki.certificateFromPem(authority.certificate);
  certificate.setIssuer(issuer.subject.attributes);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    {
      name: 'extKeyUsage',
      serverAuth: request.forLoopback,
      clientAuth: !request.forLoopback || request.isPeer === true,
    },
    ...(request.forLoopback ? [{ name: 'subjectAltName', altNames: LOOPBACK_NAMES }] : []),
  ]);
  sign(certificate, authority.key);
  return { key: pair.key, certificate: forge.pki.certificateToPem(certificate) };
}

/** Kinds of names as RFC 5280 numbers them: 2 is a DNS name, 7 an address. */
const LOOPBACK_NAMES = [
  { type: 2, value: 'localhost' },
  { type: 7, ip: '127.0.0.1' },
  { type: 7, ip: '::1' },
];

/** Prefix of a SHA-256 digest in an RSA signature (RFC 8017, 9.2). */
const DIGEST_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Signs with Node: the library's own arithmetic takes a second. */
function sign(certificate: forge.pki.Certificate, key: string): void {
  const signer = {
    sign: (md: forge.md.MessageDigest) => {
      const digest = Buffer.from(md.digest().getBytes(), 'latin1');
      return privateEncrypt(key, Buffer.concat([DIGEST_INFO, digest])).toString('latin1');
    },
  };
  certificate.sign(signer as forge.pki.rsa.PrivateKey, forge.md.sha256.create());
}

interface Begun {
  readonly pair: { readonly key: string };
  readonly certificate: forge.pki.Certificate;
}

function begin(commonName: string, now: number): Begun {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: RSA_BITS,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // The first bit is a sign, and a serial number is positive.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`;
  const day = 86_400_000;
  certificate.validity.notBefore = new Date(now - day);
  certificate.validity.notAfter = new Date(now + DAYS_VALID * day);
  certificate.setSubject([{ name: 'commonName', value: commonName }]);
  return { pair: { key: privateKey }, certificate };
}
