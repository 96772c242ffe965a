// Faults in workers of tasks, one for each way to be wrong (T1–T3): hunted in worlds of them, since others have no workers.
import type { EngineMutant } from './mutant.ts';

const ATTEMPT = 'libs/shell/client/src/task-attempt.ts';
const WORKER = 'libs/shell/client/src/task-worker.ts';
const WORKS = 'libs/shell/client/src/task-works.ts';
const RULES = 'libs/shell/client/src/task-rules.ts';
const OUTCOME = 'libs/shell/client/src/task-outcome.ts';
const FINISHED = 'libs/shell/client/src/finished-tasks.ts';
const HOLDER = 'libs/shell/client/src/lease-holder.ts';

const IN_TASKS: readonly EngineMutant[] = [
  // T1
  {
    name: 'asks for the next task before the outcome of this one is recorded',
    file: WORKER,
    from: 'await record({ ...outcome, result: inJson(result) });',
    to: 'void record({ ...outcome, result: inJson(result) });',
  },
  {
    name: 'takes a retry for a task of its own',
    file: WORKS,
    from: 'if (own.every(({ name }, i) => name === OWN[i])',
    to: "if (own.every(({ name }, i) => name === OWN[i] + '?')",
  },
  // T2
  {
    name: 'believes in its lease when it wakes',
    file: HOLDER,
    from: "return this.#state === 'held' && this.#parts.clock.monotonicMs() < this.#believesUntilMs;",
    to: "return this.#state === 'held';",
  },
  {
    name: 'believes in its lease until the log ends it',
    file: HOLDER,
    from: 'this.#believesUntilMs = sentAtMs + (this.#deadlineAt - appendedAt) - clockSkewMs;',
    to: 'this.#believesUntilMs = clock.monotonicMs() + (this.#deadlineAt - appendedAt);',
  },
  {
    name: 'takes a task over while its lease lasts',
    file: ATTEMPT,
    from: 'return await leases.acquire(leaseId, { signal, attributes: { attempt: String(attempt) } });',
    to: 'return await Promise.race([leases.acquire(leaseId, { signal }), pause(clock, ASK_AGAIN_MS)]);',
  },
  {
    name: 'records what has come of a task after its lease was over',
    file: ATTEMPT,
    from: 'if (attempted !== undefined && isHeld()) return attempted;',
    to: 'if (attempted !== undefined) return attempted;',
  },
  {
    name: 'gives its lease back before the outcome is recorded',
    file: ATTEMPT,
    from: 'return await conclude(await begun(work, lease, parts));',
    to: 'const attempted = await begun(work, lease, parts);\n    lease?.release();\n    return await conclude(attempted);',
  },
  {
    name: 'does not tell a handler that its lease is over',
    file: ATTEMPT,
    from: 'losing.abort(new LeaseLost(parts.leaseIdOf(work.id), reason));',
    to: 'void reason;',
  },
  {
    name: 'begins what others have done',
    file: ATTEMPT,
    from: "if (known === 'finished') return { kind: 'finished' };",
    to: "if (known === 'finished' && work.attempt < 0) return { kind: 'finished' };",
  },
  {
    name: 'asks what is done and does not wait to hear it',
    file: FINISHED,
    from: 'while (this.#heardTo.get(partition)! < end) {',
    to: 'while (this.#heardTo.get(partition)! < end - 1e9) {',
  },
  {
    name: 'has a late record end a task',
    file: OUTCOME,
    from: 'token < former.token) return former;',
    to: 'token < former.token - 1e9) return former;',
  },
  {
    name: 'begins again what was done where another has failed since',
    file: OUTCOME,
    from: 'if (weight < (token === undefined ? heaviest : heaviestUntold)) return',
    to: 'if (weight < -1) return',
  },
  // T3
  {
    name: 'puts no limit to an attempt',
    file: ATTEMPT,
    from: 'limiting.abort(new TaskTimedOut(work.id, limitMs));',
    to: 'void limitMs;',
  },
  {
    name: 'has what was done beyond the limit count, where its process stood still',
    file: ATTEMPT,
    from: 'beganMs >= limitMs) expire();',
    to: 'beganMs >= 1e9) expire();',
  },
  {
    name: 'begins with the first attempt where another worker left off',
    file: FINISHED,
    from: "const isNext = last.retryBy === 'worker'",
    to: "const isNext = last.retryBy === undefined && last.retryBy === 'worker'",
  },
  {
    name: 'has no retry come',
    file: WORKER,
    from: 'await later?.(retry, afterMs);',
    to: 'await Promise.resolve(later === undefined ? retry : afterMs);',
  },
  {
    name: 'records a failure before its retry is in the log',
    file: WORKER,
    from: 'const refused = await refusedBy(later, again(work), afterMs);',
    to: 'const refused = await Promise.race([refusedBy(later, again(work), afterMs), Promise.resolve(undefined)]);',
  },
  {
    name: 'takes what comes again by a schedule for to be done',
    file: OUTCOME,
    from: "return retryBy === 'schedule' ? attempt : 0;",
    to: "return retryBy === 'schedule' ? attempt - 1 : 0;",
  },
  {
    name: 'pauses no longer after further failures',
    file: RULES,
    from: 'durationMs(firstMs) * 2 ** Math.min(attempt - 1, 40)',
    to: 'durationMs(firstMs) * 2 ** Math.min(attempt - 1, 0)',
  },
  {
    name: 'tries once more than it may',
    file: RULES,
    from: "if (attempt >= attemptsOf(retries)) return { kind: 'poison' };",
    to: "if (attempt > attemptsOf(retries)) return { kind: 'poison' };",
  },
  {
    name: 'counts no attempts of what comes by a schedule',
    file: WORKS,
    from: 'return { ...of, ...retry, headers:',
    to: 'return { ...of, ...retry, attempt: 1, headers:',
  },
];

export const TASK_MUTANTS: readonly EngineMutant[] = IN_TASKS.map((mutant) => ({ ...mutant, world: 'tasks' }));
