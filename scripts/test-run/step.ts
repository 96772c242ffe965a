/** One thing that a test run does: a check of the whole workspace, or the tests of a project. */
export interface Step {
  readonly name: string;
  /** Steps that have to pass before this one starts. */
  readonly needs: readonly string[];
  /** It talks to the broker of the run: beside a few others, or alone. */
  readonly broker?: 'shared' | 'alone';
  /** How much of a core it keeps busy: 1 for what computes, less for what also waits, 0 for what only waits. */
  readonly load: number;
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
