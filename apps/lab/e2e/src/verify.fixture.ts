// Runs `flatline verify` on the topics of a scenario.
import { expect } from '@jest/globals';
import { flatline } from './flatline.fixture.ts';
import type { Scenario } from './scenario.fixture.ts';

/** The parts of the report that tests look at. */
export interface Verified {
  readonly code: number | null;
  readonly ok: boolean;
  readonly violations: readonly {
    readonly rule: string;
    readonly topic: string;
    readonly partition: number;
    readonly offset?: number;
    readonly key?: string;
    readonly what: string;
  }[];
  readonly incarnations: number;
  readonly closed: number;
  readonly open: number;
  readonly delaysMs: { readonly count: number; readonly min?: number };
  readonly reach: Readonly<Record<string, number>>;
  readonly undecided: readonly string[];
}

export function verify(scenario: Scenario, ...flags: readonly string[]): Promise<Verified> {
  return verifyIn({}, scenario, ...flags);
}

/** Runs in another environment than that of the test. */
export async function verifyIn(
  env: Readonly<Record<string, string>>,
  scenario: Scenario,
  ...flags: readonly string[]
): Promise<Verified> {
  const args = ['verify', '--config', scenario.config, '--json', '--complete', ...flags];
  const { code, stdout, stderr } = await flatline(args, env).finished;
  if (code !== 0 && code !== 1) throw new Error(`flatline verify ended with ${code ?? 'a signal'}\n${stderr}`);
  return { ...(JSON.parse(stdout) as Omit<Verified, 'code'>), code };
}

/** Expects that everything is closed once, as the input says, and that nothing was left undecided. */
export async function expectVerified(scenario: Scenario, ...flags: readonly string[]): Promise<Verified> {
  const verified = await expectSound(scenario, ...flags);
  expect(verified.closed).toBe(verified.incarnations - verified.open);
  return verified;
}

/** Expects that everything is as the input says, and that nothing was left undecided. */
export async function expectSound(scenario: Scenario, ...flags: readonly string[]): Promise<Verified> {
  const verified = await verify(scenario, ...flags);
  const { violations, undecided, code, ok } = verified;
  expect({ violations, undecided, code, ok }).toEqual({ violations: [], undecided: [], code: 0, ok: true });
  return verified;
}
