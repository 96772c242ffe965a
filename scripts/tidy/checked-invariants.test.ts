import { expect, test } from '@jest/globals';
import { checkedInvariants } from './checked-invariants.ts';

const FILE = 'libs/core/partition/src/spare.ts';
/** Computed, or this file would cite them. */
const [A, B, C] = [1, 2, 3].map((number) => `XA${number}`) as [string, string, string];
const STATED = `// Spares.\n//\n// Invariants\n//   ${A}  It waits.\n//   ${B}  It ends.\n//   ${C}  It stays.\n//\n`;
const CODE = `faults.push(\`${A}: slot 1 waits\`);\nassert(ends, '${B}: it ends');\n`;

const found = (header: string, code = CODE): string[] =>
  checkedInvariants(new Map([[FILE, `${STATED}${header}\n${code}`]])).map(({ message }) => message);

test('each invariant is named by an inspect, by an assertion, or with why it cannot be checked', () => {
  expect(
    found(
      `// Checked\n//   inspect    ${A}\n//              As far as it shows.\n//   assertion  ${B}\n//   not        ${C}: it is gone.`,
    ),
  ).toEqual([]);
});

test('one of which the header says nothing is found, with its line', () => {
  const [finding] = checkedInvariants(
    new Map([[FILE, `${STATED}// Checked\n//   inspect    ${A}\n//   assertion  ${B}\n${CODE}`]]),
  );
  expect(finding).toEqual({ at: `${FILE}:6`, message: `${C} is run nowhere: say under Checked how, or why not` });
});

test.each([
  [
    'an inspect that names none',
    `//   inspect    ${A}, ${C}\n//   assertion  ${B}`,
    `no inspect names ${C} in what it says: '${C}: …'`,
  ],
  [
    'an assertion that is not there',
    `//   inspect    ${A}\n//   assertion  ${B}, ${C}`,
    `no assertion names ${C}, in its message or in a comment`,
  ],
  [
    'no reason',
    `//   inspect    ${A}\n//   assertion  ${B}\n//   not        ${C}`,
    `why ${C} cannot be checked is not said`,
  ],
])('%s is found', (_what, header, message) => {
  expect(found(`// Checked\n${header}`)).toEqual([message]);
});

test('packages whose invariants are not run are left alone', () => {
  expect(checkedInvariants(new Map([['libs/shell/runtime/src/spare.ts', STATED]]))).toEqual([]);
});
