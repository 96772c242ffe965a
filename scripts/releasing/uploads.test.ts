import { expect, test } from '@jest/globals';
import { publishedIntegrity, type Registry, type Upload, uploadMissing } from './uploads.ts';

const upload = (name: string): Upload => ({ name, version: '0.2.0', integrity: `sha512-${name}` });
const both = [upload('flatline'), upload('@flatline/client')];

/** Accepts each version once, like npm's registry; `failsOn`: the connection breaks. */
function registryOf(there: Map<string, string>, failsOn?: string): Registry<Upload> {
  return {
    integrityOf: ({ name }) => Promise.resolve(there.get(name)),
    publish: ({ name, integrity }) => {
      if (name === failsOn) return Promise.reject(new Error('the connection broke'));
      if (there.has(name)) return Promise.reject(new Error('cannot publish over the existing version'));
      there.set(name, integrity);
      return Promise.resolve();
    },
  };
}

async function run(registry: Registry<Upload>): Promise<string[]> {
  const told: string[] = [];
  await uploadMissing(both, registry, ({ name }, wasThere) =>
    told.push(`${name} ${wasThere ? 'was there' : 'is new'}`),
  );
  return told;
}

test('a release whose second upload failed is repeated: the first package is left as it is', async () => {
  const there = new Map<string, string>();
  await expect(run(registryOf(there, '@flatline/client'))).rejects.toThrow('broke');
  expect([...there.keys()]).toEqual(['flatline']);
  expect(await run(registryOf(there))).toEqual(['flatline was there', '@flatline/client is new']);
  expect(await run(registryOf(there))).toEqual(['flatline was there', '@flatline/client was there']);
});

test('another content under the same version is refused before anything is uploaded', async () => {
  const there = new Map([['@flatline/client', 'sha512-other']]);
  await expect(run(registryOf(there))).rejects.toThrow(
    /@flatline\/client 0\.2\.0 is published already.*sha512-other.*raise the version/,
  );
  expect([...there.keys()]).toEqual(['@flatline/client']);
});

test('where npm does not say why it gives no answer, the error does', async () => {
  const surroundings = { cwd: '.', env: { PATH: '/nowhere' }, flags: [] };
  await expect(publishedIntegrity(upload('flatline'), surroundings)).rejects.toThrow(
    'whether flatline 0.2.0 is published already cannot be read: spawn npm ENOENT',
  );
});
