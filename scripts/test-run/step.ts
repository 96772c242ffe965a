/** One thing that a test run does: a check of the whole workspace, or the tests of a project. */
export interface Step {
  readonly name: string;
  /** Steps that have to pass before this one starts. */
  readonly needs: readonly string[];
  /** At most one step of a lane runs at a time. */
  readonly lane?: string;
  /** Whether it occupies one of the cores; what only waits does not. */
  readonly occupies: boolean;
  run(): Promise<Outcome>;
}

export interface Outcome {
  readonly passed: boolean;
  /** Shown if the step has failed. */
  readonly output: string;
  /** Undefined for a check that runs no tests. */
  readonly tests?: TestCounts | undefined;
  /** What is to be read also of a step that has passed. */
  readonly notes?: readonly string[] | undefined;
}

/** Tests by what became of them; a file that could not be run counts as one failure. */
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
  /** `blocked`: something it needs has failed. `stopped`: the run was ended first. */
  readonly status: 'passed' | 'failed' | 'blocked' | 'stopped';
  readonly durationMs: number;
  readonly output: string;
  readonly tests?: TestCounts | undefined;
  readonly notes?: readonly string[] | undefined;
}
