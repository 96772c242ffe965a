import { type TestCounts } from './step.ts';

/** The parts of Jest's `--json` report that count. */
export interface JestReport {
  readonly testResults: readonly {
    /** Path of the file. */
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Lines about mutants (their number tells whether tests can fail at all), the simulation and speed. */
export function notesIn(output: string): string[] {
  return [...output.matchAll(/^\s*((?:(?:caught \d+ of \d+|simulated \d+ seeds)\b|performance:|not run:).*)$/gm)].map(
    ([, note = '']) => note,
  );
}

/** Counts a report; `tierOf` tells a file's tier. A file that failed without a failed test could not be run: one failure. */
export function countTests({ testResults }: JestReport, tierOf: (path: string) => string): TestCounts {
  const byTier = new Map<string, number>();
  let failed = 0;
  let skipped = 0;
  for (const { name, status, assertionResults } of testResults) {
    const ofStatus = (wanted: string): number => assertionResults.filter((each) => each.status === wanted).length;
    const failures = ofStatus('failed');
    const passes = ofStatus('passed');
    failed += status === 'failed' ? Math.max(1, failures) : failures;
    skipped += assertionResults.length - passes - failures;
    if (passes > 0) byTier.set(tierOf(name), (byTier.get(tierOf(name)) ?? 0) + passes);
  }
  const passed = [...byTier.values()].reduce((sum, count) => sum + count, 0);
  return { passed, failed, skipped, byTier };
}
