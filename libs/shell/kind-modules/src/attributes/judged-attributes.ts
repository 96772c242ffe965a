// The rules of attributes as a checker takes them (E1), and the keys by which it hashes itself.
import { keyedHash, type KeyedHashes } from '@flatline/oracle';
import type { AnyPipeline } from '../pipeline.ts';
import { attributeRules, type AttributesConfig, hashKeyId } from './attribute-settings.ts';

/** Nothing where no input says anything. */
export function judgedAttributes({ input, inputs = [] }: AnyPipeline): {
  readonly attributes?: ReturnType<typeof attributeRules>;
  readonly hashes?: KeyedHashes;
} {
  const said = [input, ...inputs].flatMap(({ attributes }) => attributes ?? []);
  if (said.length === 0) return {};
  const { attributes } = input;
  return { ...(attributes && { attributes: attributeRules(attributes) }), hashes: hashesOf(said) };
}

/** Functions, so that nothing that prints rules prints a key. */
function hashesOf(said: readonly AttributesConfig[]): KeyedHashes {
  return new Map(
    said.flatMap(({ hashKey }) => (hashKey === undefined ? [] : [[hashKeyId(hashKey), keyedHash(hashKey)]])),
  );
}
