import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The modules that a module loads when it runs: `import type` is erased, `import { type … }` is not. */
function loadedBy(file: string, seen: Set<string> = new Set()): Set<string> {
  const source = readFileSync(join(import.meta.dirname, file), 'utf8');
  for (const [, from] of source.matchAll(/^(?:import|export)(?! type )[^;]*? from '([^']+)';/gms)) {
    if (seen.has(from!)) continue;
    seen.add(from!);
    if (from!.startsWith('./')) loadedBy(from!, seen);
  }
  return seen;
}

test('the supervisor loads nothing but Node and files beside it: a fresh clone starts a broker before anything is compiled', () => {
  const loaded = loadedBy('supervisor.ts');
  expect(loaded).toContain('./broker-state.ts');
  expect([...loaded].filter((from) => !from.startsWith('node:') && !from.startsWith('./'))).toEqual([]);
});
