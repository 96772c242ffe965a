// Copies the description of each setting in docs/CONFIGURATION.md to a comment beside its type, where editors show it.
import ts from 'typescript';

const ROW = /^\| `([\w[\].]+)` +\|([^|\n]*)\|([^|\n]*)\|([^|\n]*)\|$/gm;

/** The declaration of a configuration's type, with a comment before each setting that the page has. */
export function withSettingComments(declaration: string, page: string): string {
  const rows = new Map([...page.matchAll(ROW)].map(([, setting = '', ...cells]) => [setting, commentOf(cells)]));
  const places: { readonly at: number; readonly comment: string }[] = [];
  const visit = (node: ts.Node, path: string): void => {
    const at = ts.isPropertySignature(node) ? [path, node.name.getText()].filter(Boolean).join('.') : path;
    const comment = ts.isPropertySignature(node) ? rowOf(at, rows) : undefined;
    if (comment !== undefined) places.push({ at: node.getStart(), comment });
    const inner = ts.isArrayTypeNode(node) ? `${at}[]` : at;
    node.forEachChild((child) => {
      visit(child, inner);
    });
  };
  visit(ts.createSourceFile('settings.ts', declaration, ts.ScriptTarget.Latest, true), '');
  return places.reduceRight(
    (text, { at, comment }) => `${text.slice(0, at).trimEnd()}\n${comment}\n${text.slice(at)}`,
    declaration,
  );
}

/** If a section may be a list of sections, the page has the section's settings. */
function rowOf(setting: string, rows: ReadonlyMap<string, string>): string | undefined {
  return rows.get(setting) ?? rows.get(setting.replace(/\[\]\.(?!.*\[\])/, '.'));
}

function commentOf(cells: readonly string[]): string {
  const [byDefault = '', allowed = '', meaning = ''] = cells.map((cell) => plain(cell.trim()));
  // For an enumeration, the type already has the values.
  const bounds = allowed.startsWith('`') ? '' : allowed;
  const value = byDefault === 'required' ? 'Required' : `Default: ${byDefault}`;
  return `/** ${[meaning, bounds, value]
    .filter((part) => part !== '')
    .map((part) => `${part}.`)
    .join(' ')} */`;
}

/** Drops links, which are relative to the page's folder. */
function plain(cell: string): string {
  return cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('_(later)_', '(later)');
}
