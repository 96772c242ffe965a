/** One unit of a test run: a check of the whole workspace, or the tests of a project. */
export interface Step {
  readonly name: string;
  /** Steps that have to pass before this one starts. */
  readonly needs: readonly string[];
  /** It uses the broker of the run: beside a few others, or alone. */
  readonly broker?: 'shared' | 'alone';
  /** Share of a core that it uses: 1 for computing, less if it also waits, 0 if it only waits. */
  readonly load: number;
  run(): Promise<Outcome>;
}

export interface Outcome {
  readonly passed: boolean;
  /** Shown if the step has failed. */
  readonly output: string;
  /** Undefined for a check that runs no tests. */
  readonly tests?: TestCounts | undefined;
  /** To be shown even if the step has passed. */
  readonly notes?: readonly string[] | undefined;
}

/** Tests by result; a file that could not be run counts as one failure. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** Held back: neither passed nor failed. */
  readonly skipped: number;
  /** Passed tests by tier. */
  readonly byTier: ReadonlyMap<string, number>;
}

export interface Result {
  readonly name: string;
  /** `blocked`: a step that it needs has failed. `stopped`: the run was ended first. */
  readonly status: 'passed' | 'failed' | 'blocked' | 'stopped';
  readonly durationMs: number;
  readonly output: string;
  readonly tests?: TestCounts | undefined;
  readonly notes?: readonly string[] | undefined;
}
