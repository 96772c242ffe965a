import { afterAll, describe, expect, test } from '@jest/globals';
import { Misconfigured } from '@flatline/base';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentialsFrom } from './credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-credentials-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const file = join(folder, 'secret');
const ca = join(folder, 'ca.pem');
const PEM = '-----BEGIN CERTIFICATE-----';

describe('what an application logs in with', () => {
  test('is what its files say at the time', () => {
    const now = credentialsFrom({
      ssl: { ca, cert: `${PEM} mine`, key: { file }, passphrase: 'p', servername: 's' },
      sasl: { mechanism: 'plain', username: 'u', password: { file } },
    });
    for (const secret of ['one', 'two']) {
      writeFileSync(file, `${secret}\n`);
      writeFileSync(ca, `${PEM} ${secret}`);
      expect(now()).toEqual({
        ssl: { ca: `${PEM} ${secret}`, cert: `${PEM} mine`, key: secret, passphrase: 'p', servername: 's' },
        sasl: { mechanism: 'plain', username: 'u', password: secret },
      });
    }
    rmSync(file);
    expect(now).toThrow(Misconfigured);
    expect(now).toThrow(/ssl\.key is the file .*secret, which cannot be read \(ENOENT/);
  });

  test('is in no message where a key has another form than PEM', () => {
    const key = 'TUlJRXZRSUJBREFOQmdrcWhraUc5dzBCQVFFRkFBU0NCS2N3';
    for (const given of [key, key.repeat(40)]) {
      expect(credentialsFrom({ ssl: { key: given } })).toThrow(
        /^connect: ssl\.key is neither PEM nor the path of a file/,
      );
      expect(credentialsFrom({ ssl: { key: given } })).not.toThrow(key);
      expect(credentialsFrom({ ssl: { ca: key.repeat(40) } })).not.toThrow(key);
    }
  });

  test('may be a client of OAuth, whose secret is no empty one', () => {
    const client = { tokenEndpoint: 'https://id/token', clientId: 'c', scope: 's' };
    const now = credentialsFrom({ sasl: { mechanism: 'oauthbearer', ...client, clientSecret: { file } } });
    writeFileSync(file, '\n');
    expect(now).toThrow(/sasl\.clientSecret is the file .*secret, which is empty: write the secret into it/);
    writeFileSync(file, '\uFEFFhush\r\n');
    expect(now()).toEqual({ ssl: false, sasl: { mechanism: 'oauthbearer', ...client, clientSecret: 'hush' } });
  });
});
