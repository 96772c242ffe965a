// One secured broker, and the ways to reach it.
import { readFileSync } from 'node:fs';
import {
  type RunningBroker,
  SECURED_GUEST,
  type SecuredListener,
  type ServerProperties,
  startBroker,
} from '@flatline/dev-broker';
import { type Credentials, KafkaAccess, type KafkaOptions, type SaslCredentials } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import type { ConnectionOptions } from 'node:tls';

export function startSecuredBroker(properties: ServerProperties = {}): Promise<RunningBroker> {
  return startBroker({ secure: true, ephemeral: true, shortLived: true, heapMb: 512, properties });
}

export function listenerOf({ listeners }: RunningBroker, name: SecuredListener['name']): SecuredListener {
  const found = listeners.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no listener ${name}: ${listeners.map((each) => each.name).join(', ')}`);
  return found;
}

/** The same listener for a user with no rights but those of ACLs. */
export function asGuest(listener: SecuredListener): SecuredListener {
  const { sasl, ssl } = listener.kafka;
  if (sasl === undefined || sasl.mechanism === 'oauthbearer') throw new Error(`${listener.name} knows no passwords`);
  const file = sasl.password.file.replace(/[^/]+(?=\.password$)/, SECURED_GUEST);
  return { ...listener, kafka: { ssl, sasl: { ...sasl, username: SECURED_GUEST, password: { file } } } };
}

/** The tests' own access by that listener, with the files as they are now. */
export function optionsOf({ address, kafka }: SecuredListener): Pick<KafkaOptions, 'brokers' | 'access'> {
  const credentials = (): Credentials => ({ ssl: tlsOf(kafka), sasl: saslOf(kafka) });
  return { brokers: address.split(','), access: new KafkaAccess({ clock: systemClock, credentials }) };
}

function tlsOf({ ssl: { ca, cert, key } }: SecuredListener['kafka']): ConnectionOptions {
  return {
    ca: readFileSync(ca, 'utf8'),
    ...(cert !== undefined && { cert: readFileSync(cert, 'utf8') }),
    ...(key !== undefined && { key: readFileSync(key.file, 'utf8') }),
  };
}

function saslOf({ sasl }: SecuredListener['kafka']): SaslCredentials | undefined {
  if (sasl === undefined) return undefined;
  return sasl.mechanism === 'oauthbearer'
    ? { ...sasl, clientSecret: readFileSync(sasl.clientSecret.file, 'utf8') }
    : { ...sasl, password: readFileSync(sasl.password.file, 'utf8') };
}
