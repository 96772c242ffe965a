// Additional properties of a secured node, and the settings of its clients. Pure.
import type { NodePlan, SecuredPorts, ServerProperties } from '../node-settings.ts';
import { LOOPBACK } from '../ports.ts';
import { pathToFileURL } from 'node:url';
import { SECURED_USER, type SecuredFiles, type SecuredUser } from './secured-files.ts';

const SECURITY = 'org.apache.kafka.common.security';

export const TOKEN_AUDIENCE = 'kafka';

/** Issuer named in tokens; with `token` appended, the URL that issues them. */
export function tokenIssuer(port: number): string {
  return `http://${LOOPBACK}:${port}/`;
}

/** System properties of a node: Kafka takes keys from nowhere else (KIP-1139). */
export function tokenArguments({ tokenKeys }: Pick<SecuredFiles, 'tokenKeys'>): string[] {
  const { href } = pathToFileURL(tokenKeys);
  const allowed = 'org.apache.kafka.sasl.oauthbearer.allowed';
  return [`-D${allowed}.urls=${href}`, `-D${allowed}.files=${tokenKeys}`];
}

/** Users log in by any mechanism with the same password. Anonymous clients, over the plain listener or TLS, may do everything. */
export function securedProperties(
  { server, ca, tokenKeys }: Pick<SecuredFiles, 'server' | 'ca' | 'tokenKeys'>,
  users: readonly SecuredUser[],
  tokenPort: number,
): ServerProperties {
  const sasl = 'listener.name.sasl';
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': server,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': ca,
    'ssl.principal.mapping.rules': 'RULE:^CN=([^,]+).*$/$1/,DEFAULT',
    'listener.name.mtls.ssl.client.auth': 'required',
    [`${sasl}.sasl.enabled.mechanisms`]: 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
    [`${sasl}.plain.sasl.jaas.config`]: plainUsers(users),
    [`${sasl}.scram-sha-256.sasl.jaas.config`]: `${SECURITY}.scram.ScramLoginModule required;`,
    [`${sasl}.scram-sha-512.sasl.jaas.config`]: `${SECURITY}.scram.ScramLoginModule required;`,
    [`${sasl}.oauthbearer.sasl.jaas.config`]: `${SECURITY}.oauthbearer.OAuthBearerLoginModule required;`,
    [`${sasl}.oauthbearer.sasl.server.callback.handler.class`]: `${SECURITY}.oauthbearer.OAuthBearerValidatorCallbackHandler`,
    // Without the mechanism's name before these: with it 4.1 does not see the keys, and takes tokens whatever their signature.
    [`${sasl}.sasl.oauthbearer.jwt.validator.class`]: `${SECURITY}.oauthbearer.BrokerJwtValidator`,
    [`${sasl}.sasl.oauthbearer.jwks.endpoint.url`]: pathToFileURL(tokenKeys).href,
    [`${sasl}.sasl.oauthbearer.expected.audience`]: TOKEN_AUDIENCE,
    [`${sasl}.sasl.oauthbearer.expected.issuer`]: tokenIssuer(tokenPort),
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': `User:ANONYMOUS;User:${SECURED_USER}`,
  };
}

/** The users of SASL plain, as a value of Kafka's setting `sasl.jaas.config`. */
export function plainUsers(users: readonly SecuredUser[]): string {
  const named = users.map(({ name, password }) => `user_${name}="${password}"`).join(' ');
  return `${SECURITY}.plain.PlainLoginModule required ${named};`;
}

/** Arguments of Kafka's own formatting tool: SCRAM's users are in the cluster from its first record on (KIP-900). */
export function scramArguments(users: readonly SecuredUser[]): string[] {
  return ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) =>
    users.flatMap(({ name, password }) => ['--add-scram', `${mechanism}=[name=${name},password=${password}]`]),
  );
}

/** A way to reach a secured broker. */
export interface SecuredListener {
  readonly name: 'tls' | 'mutual-tls' | 'sasl-plain' | 'sasl-scram-sha-256' | 'sasl-scram-sha-512' | 'sasl-oauthbearer';
  /** Comma-separated host:port, one per node. */
  readonly address: string;
  /** The section `kafka` of a configuration; certificates and secrets are files. */
  readonly kafka: {
    readonly ssl: { readonly ca: string; readonly cert?: string; readonly key?: { readonly file: string } };
    readonly sasl?:
      | {
          readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
          readonly username: string;
          readonly password: { readonly file: string };
        }
      | {
          readonly mechanism: 'oauthbearer';
          readonly tokenEndpoint: string;
          readonly clientId: string;
          readonly clientSecret: { readonly file: string };
        };
  };
}

export function securedListeners(
  nodes: readonly NodePlan[],
  files: SecuredFiles,
  tokenPort: number,
): readonly SecuredListener[] {
  const addressOf = (listener: keyof SecuredPorts): string =>
    nodes.map(({ secured }) => `${LOOPBACK}:${secured![listener]}`).join(',');
  const ssl = { ca: files.ca };
  const password = { file: files.passwordOf(SECURED_USER) };
  const tokenEndpoint = `${tokenIssuer(tokenPort)}token`;
  return [
    { name: 'tls', address: addressOf('tls'), kafka: { ssl } },
    {
      name: 'mutual-tls',
      address: addressOf('mutualTls'),
      kafka: { ssl: { ...ssl, cert: files.clientCertificate, key: { file: files.clientKey } } },
    },
    ...(['plain', 'scram-sha-256', 'scram-sha-512'] as const).map((mechanism) => ({
      name: `sasl-${mechanism}` as const,
      address: addressOf('sasl'),
      kafka: { ssl, sasl: { mechanism, username: SECURED_USER, password } },
    })),
    {
      name: 'sasl-oauthbearer',
      address: addressOf('sasl'),
      kafka: { ssl, sasl: { mechanism: 'oauthbearer', tokenEndpoint, clientId: SECURED_USER, clientSecret: password } },
    },
  ];
}
