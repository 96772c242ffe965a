import { afterAll, describe, expect, test } from '@jest/globals';
import { accessTokenHash, newAccessToken } from '@flatline/system';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, type Environment, resolveConfiguration } from './index.ts';
import { minimal, problems as foundIn, visits } from './resolving.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-http-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const file = (name: string, text: string): { readonly file: string } => {
  writeFileSync(join(folder, name), text);
  return { file: name };
};

const token = newAccessToken();
const hash = accessTokenHash(token);
const auth = { tokens: [{ name: 'ops', role: 'admin', hash }] };
const tls = { cert: file('cert.pem', 'CERT').file, key: file('key.pem', 'KEY') };

function resolved(http: unknown, environment: Environment = {}) {
  return resolveConfiguration({ ...minimal, http }, { source: 'test', folder, environment }).http;
}

function problems(http: unknown, environment: Environment = {}): string[] {
  try {
    resolved(http, environment);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.findings.map(({ setting, value, problem }) => `${setting} [${value ?? ''}] ${problem}`);
  }
  return [];
}

describe('[H1] a port beyond loopback', () => {
  test.each(['0.0.0.0', '::', '10.0.0.7', 'flatline.shop.svc', '::ffff:127.0.0.1', '127.evil.example', '0127.0.0.1'])(
    '[H1] is refused without protection: %s',
    (host) => {
      const [problem, ...others] = problems({ host });
      expect(others).toEqual([]);
      expect(problem).toMatch(
        /^http\.host \["[^"]+"\] beyond loopback it needs http\.tls \(.*"terminated".*\), and http\.auth, with tokens \(`flatline http token`.*127\.0\.0\.1$/,
      );
    },
  );

  test('[H1] says what is lacking, and which variable asks for it', () => {
    expect(problems({ tls: 'terminated' }, { FLATLINE_HTTP_HOST: '0.0.0.0' })).toEqual([
      expect.stringMatching(
        /^FLATLINE_HTTP_HOST \(http\.host\) \["0\.0\.0\.0"\] beyond loopback it needs http\.auth, with tokens/,
      ),
    ]);
    expect(problems({ host: '0.0.0.0', auth })).toEqual([expect.stringMatching(/it needs http\.tls \(\{ "cert"/)]);
  });

  test.each(['127.0.0.1', '127.8.9.1', '::1', 'localhost'])('[H1] loopback needs none: %s', (host) => {
    expect(problems({ host })).toEqual([]);
    expect(resolved({ host }).protection).toBeUndefined();
  });

  test('[H1] is taken with TLS and tokens, here or before this process', () => {
    expect(resolved({ host: '0.0.0.0', tls, auth }).protection).toMatchObject({ tls: 'here', auth: {} });
    expect(resolved({ host: '0.0.0.0', tls: 'terminated', auth }).protection).toMatchObject({ tls: 'before' });
  });
});

describe('[H3] tokens', () => {
  test.each([
    [
      { tokens: [{ name: 'ops', role: 'admin', hash: token }] },
      /^http\.auth\.tokens\[0\]\.hash .*sha256:…, as `flatline http token`/,
    ],
    [
      { tokens: [{ name: 'ops', role: 'root', hash }] },
      /^http\.auth\.tokens\[0\]\.role \["root"\] expected one of "read"\|"admin"/,
    ],
    [{ tokens: [{ name: 'a b', role: 'read', hash }] }, /^http\.auth\.tokens\[0\]\.name \["a b"\] up to 64 letters/],
    [
      { tokens: [auth.tokens[0], auth.tokens[0]] },
      /^http\.auth\.tokens\[1\]\.name \["ops"\] another token has this name/,
    ],
    [
      { tokens: [{ name: 'group', role: 'read', hash }] },
      /^http\.auth\.tokens\[0\]\.name \["group"\] a name other than/,
    ],
    [
      { tokens: [{ name: 'loopback', role: 'read', hash }] },
      /^http\.auth\.tokens\[0\]\.name \["loopback"\] a name other than/,
    ],
    [{ tokens: [] }, /^http\.auth \[\] needs tokens .* or oidc/],
    [
      { ...auth, group: file('weak', 'hunter2') },
      /^http\.auth\.group .*"weak".* no token that `flatline http token` made/,
    ],
    [{ oidc: { issuer: 'http://login.example', audience: 'a' } }, /^http\.auth\.oidc\.issuer .* https:\/\/…/],
    [{ oidc: { issuer: 'https://u:p@login.example', audience: 'a' } }, /^http\.auth\.oidc\.issuer .* without user/],
  ])('[H3][I4] what is none is refused: %#', (wrong, message) => {
    const found = problems({ auth: wrong });
    expect(found).toEqual([expect.stringMatching(message)]);
    expect(found.join()).not.toContain('hunter2');
  });

  test('[H3] a hash may come from a file, which is read again', () => {
    const place = file('ops.hash', `${hash}\n`);
    const { protection } = resolved({ auth: { tokens: [{ name: 'ops', role: 'read', hash: place }] } });
    expect(protection!.secrets().tokens).toEqual([{ name: 'ops', role: 'read', hash }]);
    const next = accessTokenHash(newAccessToken());
    file('ops.hash', next);
    expect(protection!.secrets().tokens).toEqual([{ name: 'ops', role: 'read', hash: next }]);
    file('ops.hash', 'sha256:short');
    expect(() => protection!.secrets()).toThrow(/http\.auth\.tokens\[0\]\.hash is .*expected sha256/);
  });

  test('[H1] certificate and key are read again, too', () => {
    const { protection } = resolved({ tls });
    expect(protection!.secrets().certificate).toEqual({ cert: 'CERT', key: 'KEY' });
    file('key.pem', 'ANOTHER');
    expect(protection!.secrets().certificate).toMatchObject({ key: 'ANOTHER' });
    file('key.pem', '');
    expect(() => protection!.secrets()).toThrow(/http\.tls\.key is .*is empty/);
  });
});

describe('[H1] the port of ingest', () => {
  const environment = { TOKEN: 'sesame' };
  const resolvedIngest = (changes: object) => {
    const ingest = { tokens: [{ env: 'TOKEN' }], ...changes };
    return resolveConfiguration({ ...minimal, ingest }, { source: 'test', folder, environment }).ingest!;
  };

  test('[H1] beyond loopback is refused without TLS, and says what is lacking', () => {
    expect(() => resolvedIngest({ host: '0.0.0.0' })).toThrow(
      /ingest\.host .*beyond loopback it needs ingest\.tls \(.*"terminated".*127\.0\.0\.1/,
    );
    expect(resolvedIngest({ host: '0.0.0.0', tls: 'terminated' }).certificate).toBeUndefined();
    expect(resolvedIngest({}).certificate).toBeUndefined();
  });

  test('[H1] has a certificate of its own, which is read again; what cannot be read is named', () => {
    const own = { cert: file('senders.pem', 'ONE').file, key: file('senders.key', 'KEY') };
    const { certificate } = resolvedIngest({ host: '0.0.0.0', tls: own });
    expect(certificate!()).toEqual({ cert: 'ONE', key: 'KEY' });
    file('senders.pem', 'TWO');
    expect(certificate!().cert).toBe('TWO');
    rmSync(join(folder, 'senders.pem'));
    expect(certificate).toThrow(/ingest\.tls\.cert/);
    expect(() => resolvedIngest({ tls: own })).toThrow(/ingest\.tls\.cert/);
  });
});

describe('[I10] a kind that is not asked for over HTTP', () => {
  const locks = { ...visits, name: 'locks', kind: 'lease', input: { topic: 'asked' }, output: { topic: 'locks' } };
  const said = (pipelines: readonly object[], named?: readonly string[]): string[] => {
    const ingest = { tokens: [{ env: 'TOKEN' }], pipelines: named };
    return foundIn({ ...minimal, pipelines, ingest }, { TOKEN: 'sesame' });
  };

  test('[I10] is refused alone, and where ingest names it', () => {
    expect(said([locks])).toEqual([
      'ingest [] leases are not asked for over HTTP, and there is no pipeline of another kind',
    ]);
    expect(said([visits, locks], ['visits', 'locks'])).toEqual([
      'ingest.pipelines[1] ["locks"] a pipeline of another kind: leases are not asked for over HTTP',
    ]);
    expect(said([visits, locks])).toEqual([]);
  });
});
