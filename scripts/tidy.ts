// `node scripts/tidy.ts`: what linters do not check. Prints each finding with its remedy; exit code 1 if there is one.
import { deadExports } from './tidy/dead-exports.ts';
import { drawing } from './tidy/drawing.ts';
import { fileLengths, thinkAt } from './tidy/file-lengths.ts';
import { heldBackTests } from './tidy/held-back-tests.ts';
import { invariantIds } from './tidy/invariant-ids.ts';
import { kept } from './tidy/kept.ts';
import { lockFile } from './tidy/lock-file.ts';
import { packageGraph } from './tidy/package-graph.ts';
import { ruleIds } from './tidy/rule-ids.ts';
import { forbiddenWords } from './tidy/words.ts';
import { readTree } from './tidy/workspace-tree.ts';
import { parseWorkspace } from './tidy/workspace.ts';

const workspace = parseWorkspace(readTree(new URL('..', import.meta.url).pathname));
const lengths = fileLengths(workspace.tree);
const findings = [
  ...ruleIds(workspace),
  ...invariantIds(workspace.tree),
  ...deadExports(workspace, kept),
  ...packageGraph(workspace),
  ...drawing(workspace),
  ...lockFile(workspace),
  ...heldBackTests(workspace),
  ...forbiddenWords(workspace.tree),
  ...lengths.findings,
];

for (const { at, message } of lengths.warnings) console.log(`think: ${at} ${message} (more than ${thinkAt})`);
for (const { at, message } of findings) console.error(`${at} ${message}`);
console.error(findings.length === 0 ? 'tidy' : `${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
