// A remedy is obeyed word for word by somebody in a hurry: none may name the deletion of what may hold a state. Nothing here
// is a list of messages: whatever is written anywhere in the product is read as its users will read it.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';

const root = new URL('../../../../', import.meta.url);
/** Programs and libraries that say something to an operator; not tests, benchmarks, simulations. */
const SOURCES = '{apps/cli,libs/core/*,libs/shell/*,libs/lab/dev-broker}';
const PAGES = ['README.md', 'docs/OPERATIONS.md', 'docs/CONFIGURATION.md'];

/** Deletion as something to do: no word before it says that it is done, or would be. */
const ORDER =
  /(?:^|[:;,.(] ?|\b(?:or|and|then|please|to) )(?:[Dd]elete|[Dd]rop|[Ww]ipe|[Ee]rase|[Pp]urge|[Rr]ecreate|[Rr]emove|rm|[Tt]runcate)\b(?! ?[=.:])/;
const WHAT = /\b(?:topics?|changelog|group|state|director(?:y|ies)|store|log|output|input|this one|them|it)\b/i;

function orders(text: string): boolean {
  const order = ORDER.exec(text);
  return order !== null && WHAT.test(text.slice(order.index, order.index + 80));
}

/** Messages in a file, each as a whole: pieces joined by `+`, values in it as `…`. */
function messagesIn(path: string, source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text === undefined) ts.forEachChild(node, visit);
    else found.push(text);
  };
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true));
  return found;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined && right === undefined ? undefined : `${left ?? '…'}${right ?? '…'}`;
}

describe('no remedy names the deletion of what may hold a state', () => {
  test.each([
    ['delete shop.visits.changelog if nothing needs the topic and run: flatline topics create', true],
    ['restore the topic; or delete its changelog topic, consumer group and state directory', true],
    ['choose another directory or delete this one', true],
    ['records were deleted before they were read', false],
    ['topic x would delete what is imported', false],
    ['cleanup.policy=delete', false],
  ])('%s: %p', (text, found) => {
    expect(orders(text)).toBe(found);
  });

  test('[R3] in any message of the program', () => {
    const files = globSync(`${SOURCES}/src/**/*.ts`, { cwd: root }).filter(
      (path) => !/\.(?:test|fixture|d)\.ts$|\/testing\//.test(path),
    );
    expect(files.length).toBeGreaterThan(200);
    const said = files.flatMap((path) =>
      messagesIn(path, readFileSync(new URL(path, root), 'utf8')).map((text) => ({ path, text })),
    );
    expect(said.length).toBeGreaterThan(1_000);
    expect(said.filter(({ text }) => orders(text))).toEqual([]);
  });

  test.each(PAGES)('[R3] on the page %s', (page) => {
    const lines = readFileSync(new URL(page, root), 'utf8').split('\n');
    expect(lines.filter((line) => line.split('|').some(orders))).toEqual([]);
  });
});
