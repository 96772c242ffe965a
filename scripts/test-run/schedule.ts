import { type Result, type Step } from './step.ts';

/** Each has processes and topics of its own; with more at a time a small machine would only wait longer. */
const SHARING_BROKER_MAX = 3;

/** Progress of a test run. */
export interface Progress {
  /** Not begun, in order of preference. */
  readonly waiting: readonly Step[];
  readonly running: readonly Step[];
  readonly ended: ReadonlyMap<string, Result['status']>;
  /** Maximum load at a time. */
  readonly slots: number;
}

/** Decides the next steps: those to start now, and those that can never start because a needed one did not pass. */
export function nextSteps({ waiting, running, ended, slots }: Progress): {
  readonly start: readonly Step[];
  readonly blocked: readonly Step[];
} {
  const start: Step[] = [];
  const blocked: Step[] = [];
  for (const step of waiting) {
    const busy = [...running, ...start];
    const needs = step.needs.map((name) => ended.get(name));
    if (needs.some((status) => status !== undefined && status !== 'passed')) blocked.push(step);
    else if (needs.includes(undefined)) continue;
    else if (!hasBroker(step, busy)) continue;
    else if (step.load > 0 && loadOf(busy) + step.load > slots) continue;
    else start.push(step);
  }
  return { start, blocked };
}

function loadOf(steps: readonly Step[]): number {
  return steps.reduce((sum, { load }) => sum + load, 0);
}

/** True if the broker is free for the step, or it needs none. */
function hasBroker({ broker }: Step, busy: readonly Step[]): boolean {
  if (broker === undefined) return true;
  const talking = busy.filter((each) => each.broker !== undefined);
  if (broker === 'alone') return talking.length === 0;
  return talking.length < SHARING_BROKER_MAX && !talking.some((each) => each.broker === 'alone');
}

/** The steps of these names, and all that they need. */
export function withNeeded(steps: readonly Step[], names: ReadonlySet<string>): Step[] {
  const wanted = new Set(names);
  for (const name of wanted) for (const each of steps.find((step) => step.name === name)?.needs ?? []) wanted.add(each);
  return steps.filter(({ name }) => wanted.has(name));
}
