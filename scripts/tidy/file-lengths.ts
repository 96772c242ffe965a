import { type Finding } from './finding.ts';
import { type Tree } from './workspace.ts';

/** Lines of code at which to think of a division, and at which to make one. */
export const THINK_AT = 300;
const STOP_AT = 500;

const CODE = /\.(ts|mts|cts|js|mjs|cjs)$/;

/** Files that are too long (`findings`), and those close to it (`warnings`). */
export function fileLengths(tree: Tree): { readonly findings: Finding[]; readonly warnings: Finding[] } {
  const lengths = [...tree]
    .filter(([path]) => CODE.test(path))
    .map(([path, text]) => ({ at: path, lines: linesOfCode(text) }))
    .toSorted((a, b) => b.lines - a.lines);
  return {
    findings: lengths
      .filter(({ lines }) => lines > STOP_AT)
      .map(({ at, lines }) => ({ at, message: `has ${lines} lines of code, ${STOP_AT} are the end: divide it` })),
    warnings: lengths
      .filter(({ lines }) => lines > THINK_AT && lines <= STOP_AT)
      .map(({ at, lines }) => ({ at, message: `has ${lines} lines of code` })),
  };
}

/** Lines that are neither blank nor comment, in Prettier's layout, which gives a comment lines to itself. */
function linesOfCode(text: string): number {
  let inComment = false;
  let count = 0;
  for (const line of text.split('\n').map((each) => each.trim())) {
    inComment ||= line.startsWith('/*');
    if (!inComment && line !== '' && !line.startsWith('//')) count += 1;
    if (inComment && line.endsWith('*/')) inComment = false;
  }
  return count;
}
