// What a secured node is told besides, and what its clients are told. Pure.
import type { NodePlan, SecuredPorts, ServerProperties } from '../node-settings.ts';
import { LOOPBACK } from '../ports.ts';
import { SECURED_USER, type SecuredFiles, type SecuredUser } from './secured-files.ts';

const SECURITY = 'org.apache.kafka.common.security';

/** Users log in by any mechanism with the same password. Who came without a name, over the plain listener or TLS, may do all. */
export function securedProperties(
  { server, ca }: Pick<SecuredFiles, 'server' | 'ca'>,
  users: readonly SecuredUser[],
): ServerProperties {
  const plain = users.map(({ name, password }) => `user_${name}="${password}"`).join(' ');
  const sasl = 'listener.name.sasl';
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': server,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': ca,
    'ssl.principal.mapping.rules': 'RULE:^CN=([^,]+).*$/$1/,DEFAULT',
    'listener.name.mtls.ssl.client.auth': 'required',
    [`${sasl}.sasl.enabled.mechanisms`]: 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    [`${sasl}.plain.sasl.jaas.config`]: `${SECURITY}.plain.PlainLoginModule required ${plain};`,
    [`${sasl}.scram-sha-256.sasl.jaas.config`]: `${SECURITY}.scram.ScramLoginModule required;`,
    [`${sasl}.scram-sha-512.sasl.jaas.config`]: `${SECURITY}.scram.ScramLoginModule required;`,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': `User:ANONYMOUS;User:${SECURED_USER}`,
  };
}

/** Arguments of Kafka's own formatting tool: SCRAM's users are in the cluster from its first record on (KIP-900). */
export function scramArguments(users: readonly SecuredUser[]): string[] {
  return ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) =>
    users.flatMap(({ name, password }) => ['--add-scram', `${mechanism}=[name=${name},password=${password}]`]),
  );
}

/** A way to reach a secured broker. */
export interface SecuredListener {
  readonly name: 'tls' | 'mutual-tls' | 'sasl-plain' | 'sasl-scram-sha-256' | 'sasl-scram-sha-512';
  /** Comma-separated host:port, one per node. */
  readonly address: string;
  /** The section `kafka` of a configuration; certificates and secrets are files. */
  readonly kafka: {
    readonly ssl: { readonly ca: string; readonly cert?: string; readonly key?: { readonly file: string } };
    readonly sasl?: {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: { readonly file: string };
    };
  };
}

export function securedListeners(nodes: readonly NodePlan[], files: SecuredFiles): readonly SecuredListener[] {
  const addressOf = (listener: keyof SecuredPorts): string =>
    nodes.map(({ secured }) => `${LOOPBACK}:${secured![listener]}`).join(',');
  const ssl = { ca: files.ca };
  const password = { file: files.passwordOf(SECURED_USER) };
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
  ];
}
