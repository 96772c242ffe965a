// The findings of two third-party linters on a tarball: one checks its package.json and files, one how its types are found.
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { readFileSync } from 'node:fs';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** Packages are ES modules: from CommonJS, Node loads them by `require` since 22.12, though TypeScript 5.6 warns of it. */
const ACCEPTED: readonly string[] = ['CJSResolvesToESM'];

/** Empty: both accept everything that they check. */
export async function lintProblems(tarball: string): Promise<string[]> {
  const bytes = new Uint8Array(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true, level: 'suggestion' });
  const ofFiles = messages.map((message) => `publint: ${formatMessage(message, pkg) ?? message.code}`);
  const types = await checkPackage(createPackageFromTarballData(bytes));
  if (types.types === false) return [...ofFiles, 'types: there are none'];
  const ofTypes = types.problems.filter(({ kind }) => !ACCEPTED.includes(kind));
  return [...ofFiles, ...ofTypes.map((problem) => `types: ${JSON.stringify(problem)}`)];
}
