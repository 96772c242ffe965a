import { type Result, type Step } from './step.ts';

/** Where a run stands. */
export interface Progress {
  /** Not begun, in order of preference. */
  readonly waiting: readonly Step[];
  readonly running: readonly Step[];
  readonly ended: ReadonlyMap<string, Result['status']>;
  /** How many steps may occupy a core at a time. */
  readonly slots: number;
}

/** What to do next: steps to start now, and steps that can never start because something they need did not pass. */
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
    else if (step.lane !== undefined && busy.some(({ lane }) => lane === step.lane)) continue;
    else if (step.occupies && busy.filter(({ occupies }) => occupies).length >= slots) continue;
    else start.push(step);
  }
  return { start, blocked };
}
