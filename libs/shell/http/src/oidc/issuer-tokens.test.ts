import { ManualClock } from '@flatline/base/manual-clock';
import { describe, expect, test } from '@jest/globals';
import { type CryptoKey, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import type { Admission } from '../access/roles.ts';
import { type Issuer, issuer } from './issuer.fixture.ts';
import { IssuerTokens } from './issuer-tokens.ts';

interface Stage {
  readonly from: Issuer;
  readonly clock: ManualClock;
  readonly said: string[];
  readonly tokens: IssuerTokens;
  readonly admit: (token: string) => Promise<Admission>;
}

async function stage(roleClaim = 'roles'): Promise<Stage> {
  const from = await issuer();
  const clock = new ManualClock();
  const said: string[] = [];
  const log = { warn: (message: string, facts: object) => said.push(`${message} ${JSON.stringify(facts)}`) };
  const tokens = new IssuerTokens({ issuer: from.url, audience: 'flatline', roleClaim, clock, log });
  return { from, clock, said, tokens, admit: async (token) => tokens.admit(token) };
}

const MINUTE_MS = 60_000;

describe('[H3] a token of an issuer', () => {
  test.each([
    ['a list', 'roles', { roles: ['x', 'read'] }, 'read'],
    ['a list with both', 'roles', { roles: ['read', 'admin'] }, 'admin'],
    ['a text', 'roles', { roles: 'admin' }, 'admin'],
    ['a text of several', 'scope', { scope: 'openid read' }, 'read'],
    ['a pointer', '/realm_access/roles', { realm_access: { roles: ['admin'] } }, 'admin'],
    ['a name that is a URL', 'https://shop.example/roles', { 'https://shop.example/roles': ['read'] }, 'read'],
  ])('[H3] has the role that its claim says, as %s', async (_how, claim, claims, role) => {
    const { from, admit } = await stage(claim);
    const caller = { name: 'oidc:anna', role };
    expect(await admit(await from.token(claims))).toEqual({ kind: 'caller', caller });
  });

  test.each([
    ['none', {}],
    ['another', { roles: ['owner'] }],
    ['one that only contains it', { roles: ['administrator', 'readonly'] }],
    ['no names', { roles: { admin: true } }],
    ['a number', { roles: 7 }],
  ])('[H3] may nothing where its claim has %s', async (_what, claims) => {
    const { from, admit } = await stage();
    expect(await admit(await from.token(claims))).toMatchObject({ kind: 'forbidden', name: 'oidc:anna' });
  });

  test('[H3] is taken of this issuer, for this audience, and within its time alone, give or take 30 s', async () => {
    const { from, clock, admit } = await stage();
    clock.advance(1_000 * MINUTE_MS);
    const atMs = clock.wallMs();
    const roles = { roles: ['admin'] };
    for (const token of [
      await from.token({ ...roles, iss: 'https://other.example' }, { atMs }),
      await from.token({ ...roles, aud: 'kafka' }, { atMs }),
      await from.token({ ...roles, aud: undefined }, { atMs }),
      await from.token({ ...roles, sub: undefined }, { atMs }),
      await from.token({ ...roles, exp: undefined }, { atMs }),
      await from.token({ ...roles, nbf: atMs / 1_000 + 31 }, { atMs }),
      await from.token(roles, { atMs: atMs - 331_000 }),
    ])
      expect(await admit(token)).toMatchObject({ kind: 'stranger' });
    for (const token of [
      await from.token({ ...roles, nbf: atMs / 1_000 + 29 }, { atMs }),
      await from.token(roles, { atMs: atMs - 329_000 }),
      await from.token({ ...roles, aud: ['x', 'flatline'] }, { atMs }),
    ])
      expect(await admit(token)).toMatchObject({ kind: 'caller' });
  });

  test('[H3] is not what another key signed, or none, or a public key taken for a secret', async () => {
    const { from, admit } = await stage();
    const { privateKey } = await generateKeyPair('RS256');
    const claims = { sub: 'anna', iss: from.url, aud: 'flatline', exp: 300, roles: ['admin'] };
    const signed = (alg: string, key: CryptoKey | Uint8Array): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: 'k0' }).sign(key);
    for (const token of [
      await signed('RS256', privateKey),
      await signed('HS256', new TextEncoder().encode('a public key, as a secret of both')),
      new UnsecuredJWT(claims).encode(),
      `${(await from.token({ roles: ['admin'] })).slice(0, -4)}AAAA`,
      'a.b.c',
      '..',
      'x'.repeat(20_000),
    ])
      expect(await admit(token)).toMatchObject({ kind: 'stranger' });
  });
});

describe('[H3] the keys of an issuer', () => {
  const roles = { roles: ['read'] };

  test('[H3] are replaced: a key that is not known yet is asked for, and one that is gone counts no more', async () => {
    const { from, clock, admit } = await stage();
    const former = await from.token(roles, { livesSeconds: 100_000 });
    expect(await admit(former)).toMatchObject({ kind: 'caller' });
    await from.rotate();
    clock.advance(MINUTE_MS);
    expect(await admit(await from.token(roles, { atMs: clock.wallMs() }))).toMatchObject({ kind: 'caller' });
    expect(await admit(former)).toMatchObject({ kind: 'stranger' });
  });

  test('[H3] are asked for at most once in ten seconds, however many tokens name one that is none', async () => {
    const { from, clock, admit } = await stage();
    expect(await admit(await from.token(roles))).toMatchObject({ kind: 'caller' });
    const others = await issuer();
    await others.rotate();
    clock.advance(10_000);
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => admit(await others.token({ ...roles, jti: String(i) }))),
    );
    expect(from.asked).toHaveLength(4);
    clock.advance(9_999);
    await admit(await others.token({ jti: 'x' }));
    expect(from.asked).toHaveLength(4);
    clock.advance(1);
    await admit(await others.token({ jti: 'y' }));
    expect(from.asked).toHaveLength(6);
  });

  test('[H3] serve for a day while the issuer is down; after that, and without any, no caller is let in, and each is told to come again', async () => {
    const { from, clock, said, admit } = await stage();
    const token = await from.token(roles, { livesSeconds: 200_000 });
    from.is.down = true;
    expect(await admit(token)).toMatchObject({ kind: 'unknown', why: expect.stringContaining('it answered 503') });
    expect(said).toEqual([expect.stringContaining('http.auth.oidc.issuer')]);
    from.is.down = false;
    clock.advance(10_000);
    expect(await admit(token)).toMatchObject({ kind: 'caller' });
    from.is.down = true;
    clock.advance(86_400_000);
    expect(await admit(token)).toMatchObject({ kind: 'caller' });
    clock.advance(MINUTE_MS);
    expect(await admit(token)).toMatchObject({ kind: 'unknown' });
    from.is.down = false;
    clock.advance(10_000);
    expect(await admit(token)).toMatchObject({ kind: 'caller' });
  });

  test('[H3] are those of a document that names the issuer itself', async () => {
    const { from, admit } = await stage();
    from.is.named = `${from.url}/`;
    expect(await admit(await from.token(roles))).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining('write http.auth.oidc.issuer as it does'),
    });
  });
});
