// Names of the kinds, as the product lists them.
import { type Tree } from './workspace.ts';

export const NAMES = 'libs/core/base/src/kind-name.ts';

export function kindNamesIn(tree: Tree): string[] {
  const list = /KIND_NAMES = \[([^\]]*)\]/.exec(tree.get(NAMES) ?? '')?.[1] ?? '';
  return [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
}
