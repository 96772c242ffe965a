// docs/CONFIGURATION.md says what schema.ts and environment.ts say: the same settings, defaults, bounds, units and variables.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { VARIABLES } from './environment.ts';
import { SETTING_WORDS } from '@flatline/kind-modules/form';
import { cellsOf } from '@flatline/kind-modules/rows';
import { configurationSchema } from './schema.ts';
import { unitOf } from './units.ts';

/** The part of JSON Schema that zod writes. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly unit?: string;
  readonly const?: string;
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

/** A setting of several kinds, as the first of them has it. */
function settings(node: Node, path = ''): Map<string, Setting> {
  const found = new Map<string, Setting>();
  for (const { properties = {}, required } of node.oneOf ?? [node])
    for (const [name, child] of Object.entries(properties))
      for (const [at, setting] of settingsOf(name, nameOfKind(name, child, node), {
        path,
        isRequired: required?.includes(name) === true,
      }))
        if (!found.has(at)) found.set(at, setting);
  return found;
}

/** By which the forms are told apart: each has its own. */
function nameOfKind(name: string, child: Node, { oneOf }: Node): Node {
  return oneOf === undefined || child.const === undefined
    ? child
    : { enum: oneOf.flatMap(({ properties }) => properties?.[name]?.const ?? []) };
}

interface Place {
  readonly path: string;
  readonly isRequired: boolean;
}

function settingsOf(name: string, child: Node, { path, isRequired }: Place): [string, Setting][] {
  const at = path === '' ? name : `${path}.${name}`;
  const section = sectionOf(child);
  const unit = child.unit ?? unitOf(name);
  const own: [string, Setting] = [at, cellsOf(name, unit === undefined ? child : { ...child, unit }, isRequired)];
  if (section === undefined) return [own];
  const inner = [...settings(section, section === child.items ? `${at}[]` : at)];
  // A section that may also be something else is a setting itself: ssl is true, false or an object.
  return child.anyOf?.some(({ properties, items }) => !properties && !items) === true ? [own, ...inner] : inner;
}

/** The object among the forms of a setting, if it has settings of its own; secrets are references, not sections. */
function sectionOf({ properties, items, anyOf = [], ...rest }: Node): Node | undefined {
  if (properties !== undefined)
    return 'file' in properties || 'env' in properties ? undefined : { properties, ...rest };
  if (items?.properties !== undefined || items?.oneOf !== undefined) return items;
  const forms = anyOf.map(sectionOf).filter((found) => found !== undefined);
  return forms.length < 2 || forms.some((form) => form.properties === undefined) ? forms[0] : { oneOf: forms };
}

describe('docs/CONFIGURATION.md', () => {
  test('has every setting with its default, what is allowed and the unit, and no other', () => {
    const schema = z.toJSONSchema(configurationSchema, { io: 'input', metadata: SETTING_WORDS }) as Node;
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
