// `node scripts/tidy.ts`: checks that linters lack. Prints each finding with its remedy; exit code 1 if there is one. With
// `--built` it checks the build instead.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { broughtAlong } from './tidy/brought-along.ts';
import { checkedInvariants } from './tidy/checked-invariants.ts';
import { citedInvariants } from './tidy/cited-invariants.ts';
import { deadExports } from './tidy/dead-exports.ts';
import { drawing } from './tidy/drawing.ts';
import { fileLengths, THINK_AT } from './tidy/file-lengths.ts';
import type { Finding } from './tidy/finding.ts';
import { importCircles } from './tidy/import-circles.ts';
import { heldBackTests } from './tidy/held-back-tests.ts';
import { invariantIds } from './tidy/invariant-ids.ts';
import { kindParts } from './tidy/kind-parts.ts';
import { lockFile } from './tidy/lock-file.ts';
import { namedKinds } from './tidy/named-kinds.ts';
import { packageCircles } from './tidy/package-circles.ts';
import { packageGraph } from './tidy/package-graph.ts';
import { pageReferences } from './tidy/page-references.ts';
import { quotedFigures } from './tidy/quoted-figures.ts';
import { ruleIds } from './tidy/rule-ids.ts';
import { builtFrom, builtTestSwitches, productModules, testSwitches } from './tidy/test-switches.ts';
import { forbiddenWords } from './tidy/words.ts';
import { readTree } from './tidy/workspace-tree.ts';
import { parseWorkspace } from './tidy/workspace.ts';

const root = new URL('..', import.meta.url);
const workspace = parseWorkspace(readTree(fileURLToPath(root)));
const isOfBuilt = process.argv.includes('--built');
const lengths = fileLengths(workspace.tree);
const findings = isOfBuilt ? builtTestSwitches(workspace, readBuilt()) : findingsOfSources();

for (const { at, message } of isOfBuilt ? [] : lengths.warnings)
  console.log(`think: ${at} ${message} (more than ${THINK_AT})`);
for (const { at, message } of findings) console.error(`${at} ${message}`);
console.error(findings.length === 0 ? 'tidy' : `${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;

function findingsOfSources(): readonly Finding[] {
  return [
    ...ruleIds(workspace),
    ...kindParts(workspace),
    ...namedKinds(workspace),
    ...invariantIds(workspace.tree),
    ...citedInvariants(workspace.tree),
    ...checkedInvariants(workspace.tree),
    ...deadExports(workspace),
    ...packageGraph(workspace),
    ...packageCircles(workspace),
    ...importCircles(workspace),
    ...broughtAlong(workspace),
    ...drawing(workspace),
    ...pageReferences(workspace),
    ...quotedFigures(workspace),
    ...lockFile(workspace),
    ...heldBackTests(workspace),
    ...testSwitches(workspace),
    ...forbiddenWords(workspace.tree),
    ...lengths.findings,
  ];
}

function readBuilt(): ReadonlyMap<string, string> {
  const files = productModules(workspace).map(builtFrom);
  return new Map(
    files
      .filter((path) => existsSync(new URL(path, root)))
      .map((path) => [path, readFileSync(new URL(path, root), 'utf8')]),
  );
}
