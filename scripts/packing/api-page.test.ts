import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { sorted } from './api-page.ts';

test('a recorded API does not depend on the order in which the compiler met the members of a union', () => {
  const one = "format?: 'json' | 'avro' | 'auto' | undefined; x: 'b';";
  expect(sorted(one)).toBe("format?: 'auto' | 'avro' | 'json' | undefined; x: 'b';");
  expect(sorted(one)).toBe(sorted("format?: 'auto' | 'json' | 'avro' | undefined; x: 'b';"));
});

test.each(['client', 'flatline', 'testing'])(
  'no form stands twice among those that the types of %s let one choose',
  (page) => {
    const text = readFileSync(new URL(`../../docs/api/${page}.md`, import.meta.url), 'utf8');
    const [, declarations = ''] = /^```ts\n(.*?)^```$/ms.exec(text) ?? [];
    expect(declarations).not.toBe('');
    expect(repeated(declarations)).toEqual([]);
  },
);

function repeated(declarations: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const forms = ts.isUnionTypeNode(node) ? node.types.map((each) => each.getText()) : [];
    found.push(...forms.filter((form, i) => forms.indexOf(form) < i));
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile('api.d.ts', declarations, ts.ScriptTarget.Latest, true));
  return found.map((form) => form.slice(0, 80));
}
