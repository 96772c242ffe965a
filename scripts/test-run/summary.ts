// The output of a test run: a line per step, and the totals.
import { type Result } from './step.ts';
import { tiers } from './tiers.ts';

/** `ok    kafka        12.3 s   41 passed`, and the notes below it. */
export function stepLine({ name, status, durationMs, tests, notes = [] }: Result): string {
  const mark = status === 'passed' ? 'ok' : status === 'failed' ? 'FAIL' : status;
  const counts = tests === undefined ? [] : [`${tests.passed} passed`];
  if (tests !== undefined && tests.failed > 0) counts.push(`${tests.failed} failed`);
  if (tests !== undefined && tests.skipped > 0) counts.push(`${tests.skipped} held back`);
  const duration = `${(durationMs / 1000).toFixed(1)} s`;
  const line = `${mark.padEnd(8)}${name.padEnd(14)}${duration.padStart(8)}   ${counts.join(', ')}`.trimEnd();
  return [line, ...notes.map((note) => `        ${note}`)].join('\n');
}

export interface Totals {
  readonly passed: number;
  /** Failed tests, and one for each step that did not pass for another reason. */
  readonly failed: number;
  readonly byTier: ReadonlyMap<string, number>;
}

/** Sums up a run. A run without a single test has failed, unless only steps without tests were asked for. */
export function totalsOf(results: readonly Result[], wantsTests = true): Totals {
  const byTier = new Map<string, number>();
  for (const { tests } of results)
    for (const [tier, count] of tests?.byTier ?? []) byTier.set(tier, (byTier.get(tier) ?? 0) + count);
  const passed = results.reduce((sum, { tests }) => sum + (tests?.passed ?? 0), 0);
  const failed = results.reduce((sum, result) => sum + failuresOf(result), 0);
  return { passed, failed: wantsTests && passed + failed === 0 ? 1 : failed, byTier };
}

function failuresOf({ status, tests }: Result): number {
  const failed = tests?.failed ?? 0;
  return status === 'passed' ? failed : Math.max(1, failed);
}

/** Everything after the last step; the last line is `N passed, M failed`. */
export function summary(results: readonly Result[], wantsTests = true): string {
  const { passed, failed, byTier } = totalsOf(results, wantsTests);
  const names = results.filter(({ status }) => status !== 'passed').map(({ name, status }) => `${name} (${status})`);
  return [
    '',
    ...tiers.filter((tier) => byTier.has(tier)).map((tier) => `${tier.padEnd(14)}${byTier.get(tier) ?? 0} passed`),
    ...(names.length > 0 ? [`not passed: ${names.join(', ')}`] : []),
    ...(passed + failed === 1 && names.length === 0 && passed === 0 ? ['no test ran'] : []),
    finalLine({ passed, failed }),
  ].join('\n');
}

/** The line that a gate reads. */
export function finalLine({ passed, failed }: { readonly passed: number; readonly failed: number }): string {
  return `${passed} passed, ${failed} failed`;
}
