import { type DurationMs, messageOf, Misconfigured } from '@flatline/base';
import type { FastifyHttpOptions } from 'fastify';
import type { Server } from 'node:http';
import type { ServerOptions } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { REQUEST_WITHIN_MS } from './prompt-close.ts';

/** PEM texts. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string;
  /** Authorities of whoever may present a certificate himself; undefined: none is asked for. */
  readonly ca?: string;
}

/** From the first byte of a connection, or the end of the last request: whoever sends slower than this only holds it open. */
const HEADERS_WITHIN_MS: DurationMs = 10_000;
const HANDSHAKE_WITHIN_MS: DurationMs = 10_000;
/** How often Node looks for requests that are late. */
const LATE_CHECK_MS: DurationMs = 1_000;
/** A connection on which nothing moves, not even what is to be sent: its reader has gone. */
const STILL_MS: DurationMs = 60_000;

const LIMITS = { headersTimeout: HEADERS_WITHIN_MS, connectionsCheckingInterval: LATE_CHECK_MS } as const;

/** How a server differs from the processor's own. */
export interface Served {
  /** Names the setting of the certificate. Default: `http.tls`. */
  readonly setting?: string;
  readonly more?: Pick<ServerOptions, 'shouldUpgradeCallback'>;
}

/** Options of a server with its limits of time; with a certificate, over TLS. @throws Misconfigured where that is none */
export function serverOptions(
  certificate: Certificate | undefined,
  { setting, more = {} }: Served = {},
): FastifyHttpOptions<Server> {
  const common = { requestTimeout: REQUEST_WITHIN_MS, connectionTimeout: STILL_MS };
  if (certificate === undefined) return { ...common, http: { ...LIMITS, ...more } };
  const https: ServerOptions = {
    ...LIMITS,
    ...more,
    ...contextOf(certificate, setting),
    handshakeTimeout: HANDSHAKE_WITHIN_MS,
    requestCert: certificate.ca !== undefined,
    // Callers may come with a token instead: who has neither is refused by the guard.
    rejectUnauthorized: false,
  };
  // Typed as if a server over TLS had another instance.
  return { ...common, https } as FastifyHttpOptions<Server>;
}

/** @throws Misconfigured where certificate, key and authorities do not go together */
export function contextOf({ cert, key, passphrase, ca }: Certificate, setting = 'http.tls'): SecureContextOptions {
  const context = { cert, key, ...(passphrase !== undefined && { passphrase }), ...(ca !== undefined && { ca }) };
  try {
    createSecureContext(context);
  } catch (error) {
    throw new Misconfigured(
      `${setting} cannot be used (${messageOf(error)}): cert has to be a PEM file with the certificate and those between it and ` +
        'its authority, key the private key of the first one, passphrase what opens that, ca certificates of authorities',
      error,
    );
  }
  return context;
}
