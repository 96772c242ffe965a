// TLS contexts from certificates and keys, which are parsed again only when they change.
import { messageOf, Misconfigured } from '@flatline/base';
import { X509Certificate } from 'node:crypto';
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';

/** OpenSSL knows two more names for it. */
const PEM_CERTIFICATE = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[^]*?-----END \1-----/g;
const PEM_BEGIN = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/g;

export class TlsContexts {
  #last: { readonly of: ConnectionOptions; readonly context: SecureContext } | undefined;

  /** null: no TLS. @throws Misconfigured naming the part that cannot be used */
  optionsOf(ssl: boolean | ConnectionOptions): ConnectionOptions | null {
    if (ssl === false) return null;
    const options = ssl === true ? {} : ssl;
    if (options.secureContext !== undefined) return options;
    if (this.#last === undefined || !isSame(this.#last.of, options))
      this.#last = { of: options, context: contextOf(options) };
    return { ...options, secureContext: this.#last.context };
  }
}

function isSame(a: ConnectionOptions, b: ConnectionOptions): boolean {
  const names = Object.keys({ ...a, ...b }) as (keyof ConnectionOptions)[];
  return names.every((name) => a[name] === b[name]);
}

function contextOf(options: ConnectionOptions): SecureContext {
  // Node passes over what it cannot read there, and would then trust less than was said.
  if (typeof options.ca === 'string') checkAuthorities(options.ca);
  try {
    return createSecureContext(options);
  } catch (error) {
    throw new Misconfigured(`${culprit(options)}: ${messageOf(error)}; ${REMEDY}`, error);
  }
}

const REMEDY = 'put the whole PEM text there, or wait if it is being replaced';

function checkAuthorities(ca: string): void {
  const found = ca.match(PEM_CERTIFICATE) ?? [];
  const begun = ca.match(PEM_BEGIN) ?? [];
  if (found.length === 0 || found.length < begun.length)
    throw new Misconfigured(
      `kafka.ssl.ca: holds ${begun.length === 0 ? 'no certificate' : 'a certificate that is cut off'}; ${REMEDY}`,
    );
  for (const each of found.filter((text) => text.startsWith('-----BEGIN CERTIFICATE')))
    try {
      new X509Certificate(each);
    } catch (error) {
      throw new Misconfigured(
        `kafka.ssl.ca: holds a certificate that cannot be read (${messageOf(error)}); ${REMEDY}`,
        error,
      );
    }
}

/** Which part it is that cannot be used, alone or with the others. */
function culprit({ cert, key, passphrase }: ConnectionOptions): string {
  if (cert !== undefined && !isUsable({ cert })) return 'kafka.ssl.cert cannot be used';
  if (key !== undefined && !isUsable({ key, ...(passphrase !== undefined && { passphrase }) }))
    return `kafka.ssl.key cannot be used${passphrase === undefined ? '' : ' with kafka.ssl.passphrase'}`;
  if (cert !== undefined && key !== undefined) return 'kafka.ssl.key does not belong to kafka.ssl.cert';
  return 'kafka.ssl cannot be used';
}

function isUsable(options: ConnectionOptions): boolean {
  try {
    createSecureContext(options);
    return true;
  } catch {
    return false;
  }
}
