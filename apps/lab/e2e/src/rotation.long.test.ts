// Certificates and passwords are replaced while a processor and the SDK run, without a restart.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTls } from 'node:tls';
import {
  plainUsers,
  renewAuthority,
  renewClientCertificate,
  renewServerCertificate,
  type RunningBroker,
  SECURED_USER,
  type SecuredListener,
} from '@flatline/dev-broker';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { flatline } from './flatline.fixture.ts';
import { alterNode } from './kafkajs-nodes.fixture.ts';
import { LiveApplication } from './live-application.fixture.ts';
import { alterScramPassword, dataDirOf, type OwnCopies, ownCopiesOf, restartWith } from './rotation.fixture.ts';
import { sleep } from './scenario.fixture.ts';
import { listenerOf, startSecuredBroker } from './secured.fixture.ts';

/** Lifetime of sessions over SASL (KIP-368): then the broker asks again. */
const SESSION_MS = 4_000;
const LOOK_MS = 100;

let broker: RunningBroker;
let copies: OwnCopies;
let live: LiveApplication | undefined;
beforeAll(async () => {
  broker = await startSecuredBroker({ 'connections.max.reauth.ms': SESSION_MS });
});
afterAll(() => broker.stop());
afterEach(async () => {
  await live?.dispose();
  live = undefined;
  await killAll();
  copies.dispose();
});

async function begin(name: SecuredListener['name']): Promise<LiveApplication> {
  copies = ownCopiesOf(listenerOf(broker, name));
  live = await LiveApplication.start(copies.listener);
  await live.aSessionCloses();
  return live;
}

/** Fingerprint of the certificate that a node presents there. */
function fingerprintAt({ address, kafka }: SecuredListener): Promise<string> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host, port: Number(port), ca: readFileSync(kafka.ssl.ca) }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('certificates', () => {
  test('[S2][O2] of the brokers are replaced while they run', async () => {
    const running = await begin('tls');
    const { listener } = copies;
    const before = await fingerprintAt(listener);
    renewServerCertificate(dataDirOf(broker), Date.now());
    const server = `${dataDirOf(broker)}/secured/server.pem`;
    await alterNode(broker.bootstrap, { 'listener.name.tls.ssl.keystore.location': server });
    // A node answers before it applies the change.
    while ((await fingerprintAt(listener)) === before) await sleep(LOOK_MS);
    await running.aSessionCloses();
    await running.finish();
  });

  test('[S2][O2] of all, authority and client included: until the own files are there, it is said what is wrong', async () => {
    const running = await begin('mutual-tls');
    const { ssl } = copies.listener.kafka;
    await broker.nodes[0]!.stop();
    for (const renew of [renewAuthority, renewServerCertificate, renewClientCertificate])
      renew(dataDirOf(broker), Date.now());
    await broker.nodes[0]!.start();
    await running.unready(/check kafka\.ssl/);

    copies.refresh('ca', 'cert');
    await running.unready(/kafka\.ssl\.key does not belong to kafka\.ssl\.cert/);
    rmSync(ssl.key!.file);
    await running.unready(/kafka\.ssl\.key is \{"file":.*cannot be read \(ENOENT/);
    copies.refresh('key');
    const whole = readFileSync(ssl.key!.file, 'utf8');
    writeFileSync(ssl.key!.file, whole.slice(0, 500));
    await running.unready(/kafka\.ssl\.key cannot be used/);
    writeFileSync(ssl.key!.file, whole);
    await running.aSessionCloses();
    await running.finish();
  });
});

describe('a password', () => {
  const password = 'another-one';
  const other = { name: SECURED_USER, password };
  const alterPlain = (): Promise<void> => {
    const users = plainUsers([{ name: 'admin', password: 'x' }, other]);
    return restartWith(broker, 'listener.name.sasl.plain.sasl.jaas.config', users);
  };
  test.each([
    ['sasl-plain', alterPlain],
    ['sasl-scram-sha-256', () => alterScramPassword(broker.bootstrap, 'scram-sha-256', other)],
    ['sasl-scram-sha-512', () => alterScramPassword(broker.bootstrap, 'scram-sha-512', other)],
  ] as const)('[S2][O2] is changed: %s', async (name, alter) => {
    const running = await begin(name);
    await alter();
    await running.unready(/failed: .*; check kafka\.sasl/);
    expect(running.processor.printed()).toMatch(/"level":"warn".*authentication failed/);
    const { sasl } = copies.listener.kafka;
    if (sasl === undefined || !('password' in sasl)) throw new Error(`${name} has no password`);
    // A client that begins with the old one is told, and ends.
    const { code, stderr } = await flatline(['topics', 'check', '--config', running.scenario.config]).finished;
    expect([code, stderr]).toEqual([2, expect.stringMatching(/check kafka\.sasl/)]);
    writeFileSync(sasl.password.file, `${password}\n`);
    await running.aSessionCloses();
    await running.finish();
  });
});
