// Runs the product with edited sources, so that it can be seen to fail without a guard, or to die at a chosen place, while
// nothing in it knows of tests. Imports only Node's own: the product must be loaded after the edits.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

export interface SourceEdit {
  /** Relative to the root of the workspace. */
  readonly file: string;
  /** Text that occurs exactly once, and its replacement. */
  readonly from: string;
  readonly to: string;
}

const ROOT = new URL('../../../../', import.meta.url);

/**
 * Applies the edits to modules that this process loads from their sources from now on.
 * @throws Error if a text to change does not occur exactly once
 */
export function editSources(edits: readonly SourceEdit[]): void {
  const edited = new Map([...editedSources(edits)].map(([file, source]) => [new URL(file, ROOT).href, source]));
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      const source = edited.get(url);
      return source === undefined ? loaded : { ...loaded, source };
    },
  });
}

/** By file, the text with all its edits, one after another. @throws Error if a text to change does not occur exactly once */
export function editedSources(edits: readonly SourceEdit[]): ReadonlyMap<string, string> {
  const edited = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const parts = (edited.get(file) ?? readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8')).split(from);
    if (parts.length !== 2)
      throw new Error(`${file} has «${from}» ${parts.length - 1} times, wanted once: the source has changed`);
    edited.set(file, parts.join(to));
  }
  return edited;
}

/**
 * Arguments of Node, before a program's own, that make another process run edited sources; none without edits.
 * @throws Error if a text to change does not occur exactly once: here, and not in a process that ends at its start
 */
export function editingArguments(edits: readonly SourceEdit[]): readonly string[] {
  if (edits.length === 0) return [];
  editedSources(edits);
  const preload = new URL('source-edits-preload.ts', import.meta.url);
  preload.searchParams.set('edits', JSON.stringify(edits));
  return ['--import', preload.href];
}
