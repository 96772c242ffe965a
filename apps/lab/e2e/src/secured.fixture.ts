// One secured broker, and the ways to reach it.
import { readFileSync } from 'node:fs';
import { type RunningBroker, SECURED_GUEST, type SecuredListener, startBroker } from '@flatline/dev-broker';
import type { KafkaOptions } from '@flatline/kafka';

export function startSecuredBroker(): Promise<RunningBroker> {
  return startBroker({ secure: true, ephemeral: true, shortLived: true, heapMb: 512 });
}

export function listenerOf({ listeners }: RunningBroker, name: SecuredListener['name']): SecuredListener {
  const found = listeners.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no listener ${name}: ${listeners.map((each) => each.name).join(', ')}`);
  return found;
}

/** The same listener for who may do only what an ACL says. */
export function asGuest(listener: SecuredListener): SecuredListener {
  const { sasl, ssl } = listener.kafka;
  if (sasl === undefined) throw new Error(`${listener.name} knows no names`);
  const file = sasl.password.file.replace(/[^/]+(?=\.password$)/, SECURED_GUEST);
  return { ...listener, kafka: { ssl, sasl: { ...sasl, username: SECURED_GUEST, password: { file } } } };
}

/** The section `kafka` as a client's options. */
export function optionsOf({
  address,
  kafka: { ssl, sasl },
}: SecuredListener): Pick<KafkaOptions, 'brokers' | 'ssl' | 'sasl'> {
  const { ca, cert, key } = ssl;
  return {
    brokers: address.split(','),
    ssl: {
      ca: readFileSync(ca),
      ...(cert !== undefined && { cert: readFileSync(cert) }),
      ...(key !== undefined && { key: readFileSync(key.file) }),
    },
    ...(sasl !== undefined && { sasl: { ...sasl, password: readFileSync(sasl.password.file, 'utf8').trim() } }),
  };
}
