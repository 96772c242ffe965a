import { beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { securedAsMade } from '../data-directory.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import {
  isSecured,
  makeSecuredFiles,
  renewServerCertificate,
  type SecuredFiles,
  securedUsers,
} from './secured-files.ts';
import { scramArguments, securedListeners, securedProperties } from './secured-properties.ts';

const NOW = Date.UTC(2026, 10, 1);

const dataDir = temporaryFolder();
let files: SecuredFiles;
beforeAll(() => {
  files = makeSecuredFiles(dataDir, NOW);
});

describe('what a secured broker and its clients need', () => {
  test('is made once, and only its owner reads the secrets', () => {
    const texts = (): string[] =>
      [files.server, files.ca, files.clientKey, files.tokenKeys].map((file) => readFileSync(file, 'utf8'));
    const [before, users] = [texts(), securedUsers(files)];
    expect(users.map(({ name }) => name)).toEqual(['flatline', 'guest']);
    for (const file of [files.server, files.clientKey, files.passwordOf('guest')])
      expect(statSync(file).mode & 0o077).toBe(0);
    makeSecuredFiles(dataDir, NOW);
    expect(texts()).toEqual(before);
    expect(securedUsers(files)).toEqual(users);
  });

  test('has another server certificate once that was renewed, by the same authority', () => {
    const [server, ca] = [readFileSync(files.server, 'utf8'), readFileSync(files.ca, 'utf8')];
    renewServerCertificate(dataDir, NOW);
    expect(readFileSync(files.server, 'utf8')).not.toBe(server);
    expect(readFileSync(files.ca, 'utf8')).toBe(ca);
  });

  test('is a property of the data directory', () => {
    const plain = temporaryFolder();
    expect([isSecured(plain), isSecured(dataDir)]).toEqual([false, true]);
    expect([securedAsMade(plain, undefined), securedAsMade(plain, true)]).toEqual([false, true]);
    for (const folder of [plain, dataDir]) mkdirSync(join(folder, 'node-1'));
    expect(() => securedAsMade(plain, true)).toThrow(/was made without --secure: choose another data directory/);
    expect([securedAsMade(dataDir, undefined), securedAsMade(dataDir, true)]).toEqual([true, true]);
    expect(() => securedAsMade(dataDir, false)).toThrow(/was made with --secure/);
  });
});

describe('the listeners of a secured broker', () => {
  const users = [
    { name: 'flatline', password: 'a-b_c' },
    { name: 'guest', password: 'xyz' },
  ];

  test('are told to the nodes', () => {
    const settings = securedProperties({ server: '/s/server.pem', ca: '/s/ca.crt', tokenKeys: '/s/t.json' }, users, 7);
    expect(settings['listener.name.sasl.plain.sasl.jaas.config']).toBe(
      'org.apache.kafka.common.security.plain.PlainLoginModule required user_flatline="a-b_c" user_guest="xyz";',
    );
    expect(scramArguments(users).filter((each) => each !== '--add-scram')).toEqual([
      'SCRAM-SHA-256=[name=flatline,password=a-b_c]',
      'SCRAM-SHA-256=[name=guest,password=xyz]',
      'SCRAM-SHA-512=[name=flatline,password=a-b_c]',
      'SCRAM-SHA-512=[name=guest,password=xyz]',
    ]);
  });

  test('are told to clients as the section `kafka`, an address of each node', () => {
    const nodes = [1, 2, 3].map((id) => ({
      id,
      port: 9092,
      controllerPort: 9093,
      folder: '',
      secured: { tls: 100 + id, mutualTls: 200 + id, sasl: 300 + id },
    }));
    const listeners = securedListeners(nodes, files, 7);
    expect(listeners.map(({ name, address }) => [name, address])).toEqual([
      ['tls', '127.0.0.1:101,127.0.0.1:102,127.0.0.1:103'],
      ['mutual-tls', '127.0.0.1:201,127.0.0.1:202,127.0.0.1:203'],
      ...['sasl-plain', 'sasl-scram-sha-256', 'sasl-scram-sha-512', 'sasl-oauthbearer'].map((name) => [
        name,
        '127.0.0.1:301,127.0.0.1:302,127.0.0.1:303',
      ]),
    ]);
    expect(listeners[1]!.kafka).toEqual({
      ssl: { ca: files.ca, cert: files.clientCertificate, key: { file: files.clientKey } },
    });
    expect(listeners[4]!.kafka.sasl).toEqual({
      mechanism: 'scram-sha-512',
      username: 'flatline',
      password: { file: files.passwordOf('flatline') },
    });
    expect(listeners[5]!.kafka.sasl).toEqual({
      mechanism: 'oauthbearer',
      tokenEndpoint: 'http://127.0.0.1:7/token',
      clientId: 'flatline',
      clientSecret: { file: files.passwordOf('flatline') },
    });
  });
});
