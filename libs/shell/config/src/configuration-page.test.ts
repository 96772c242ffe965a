// docs/CONFIGURATION.md says what schema.ts and environment.ts say: the same settings, defaults, bounds, units and variables.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { VARIABLES } from './environment.ts';
import { configurationSchema, DURATION_MAX_MS } from './schema.ts';
import { unitOf } from './units.ts';

/** The part of JSON Schema that zod writes. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Setting {
  readonly default: string;
  readonly allowed: string;
}

const page = readFileSync(new URL('../../../../docs/CONFIGURATION.md', import.meta.url), 'utf8');

function rows(): Map<string, Setting> {
  const found = [...page.matchAll(/^\| `([\w[\].]+)` +\| (.*?) +\|(.*?)\|/gm)];
  return new Map(
    found.map(([, name = '', byDefault = '', allowed = '']) => [name, { default: byDefault, allowed: allowed.trim() }]),
  );
}

function settings(node: Node, path = ''): [string, Setting][] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]): [string, Setting][] => {
    const at = path === '' ? name : `${path}.${name}`;
    const section = sectionOf(child);
    const own: [string, Setting] = [at, settingOf(child, unitOf(name), node.required?.includes(name) === true)];
    if (section === undefined) return [own];
    const inner = settings(section, section === child.items ? `${at}[]` : at);
    // A section that may also be something else is a setting itself: ssl is true, false or an object.
    return child.anyOf?.some(({ properties, items }) => !properties && !items) === true ? [own, ...inner] : inner;
  });
}

/** The object among the forms of a setting, if it has settings of its own; secrets are references, not sections. */
function sectionOf({ properties, items, anyOf = [], ...rest }: Node): Node | undefined {
  if (properties !== undefined)
    return 'file' in properties || 'env' in properties ? undefined : { properties, ...rest };
  if (items?.properties !== undefined) return items;
  return anyOf.map(sectionOf).find((found) => found !== undefined);
}

function settingOf(
  { enum: values, minimum, maximum, ...node }: Node,
  unit: string | undefined,
  required: boolean,
): Setting {
  const byDefault = node.default === undefined ? undefined : `\`${JSON.stringify(node.default)}\``;
  const bounds = maximum === DURATION_MAX_MS ? `≥ ${minimum}` : `${minimum} … ${maximum}`;
  const allowed =
    values?.map((value) => `\`${value}\``).join(', ') ??
    (minimum === undefined ? '' : [bounds, unit].filter(Boolean).join(' '));
  return { default: byDefault ?? (required ? 'required' : 'none'), allowed };
}

describe('docs/CONFIGURATION.md', () => {
  test('has every setting with its default, what is allowed and the unit, and no other', () => {
    const schema = z.toJSONSchema(configurationSchema, { io: 'input' }) as Node;
    const documented = rows();
    for (const { name } of VARIABLES) documented.delete(name);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(settings(schema)));
  });

  test('has every variable of the environment', () => {
    const documented = [...page.matchAll(/^\| `([A-Z_]+)` +\| `([\w.]+)`/gm)].map(
      ([, name, path]) => `${name} ${path}`,
    );
    expect(documented).toEqual(VARIABLES.map(({ name, path }) => `${name} ${path.join('.')}`));
  });
});
