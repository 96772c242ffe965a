// Keeps the workers of one machine running, and answers for all of them.
//
// Owns: the worker processes, and what they are asked.
// Does not own: when one is started (Workforce), what it does.
//
// Invariants
//   SV1  A worker is started when the workforce says so, and only then.
//   SV2  A question that a worker does not answer in time is answered without it; nothing waits for a dead one.
import { type Clock, type DurationMs, messageOf, Retriable, StateInUse } from '@flatline/base';
import {
  type ActOutcome,
  type AskedAct,
  type Asking,
  type HereAnswers,
  type HerePage,
  type Looked,
  type PageAsking,
  type ProcessView,
  type RestartOutcome,
  SupervisorMetrics,
  UNSURE,
  type Whole,
  type WorkerRow,
} from '@flatline/processor';
import type { RuntimeLog } from '@flatline/runtime';
import { Wait, withinDeadline } from '@flatline/system';
import { ExitCode } from '../exit-code.ts';
import type { Stop } from '../stop.ts';
import type { FromWorker, Question, ToWorker } from './worker-messages.ts';
import { type WorkerEnd, Workforce } from './workforce.ts';

/** One worker's process. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Resolves when there is no process any more; never rejects. */
  readonly ended: Promise<WorkerEnd>;
  /** Lost where it has ended. */
  send(message: ToWorker): void;
}

export interface SupervisorParts {
  readonly count: number;
  readonly instance: string;
  readonly instanceOf: (worker: number) => string;
  /** Where other instances reach it; empty: they do not. */
  readonly endpoint: string;
  readonly start: (worker: number, hear: (message: FromWorker) => void) => WorkerProcess;
  readonly clock: Clock;
  readonly log: RuntimeLog;
}

/** Longer than a turn of a busy worker, shorter than a probe's patience. */
const ANSWER_WITHIN_MS: DurationMs = 3_000;
/** Whoever asks for a key waits. */
const ENTRIES_WITHIN_MS: DurationMs = 2_000;
/** Longer than a worker waits for the brokers. */
const ACT_WITHIN_MS: DurationMs = 12_000;

/** How long it waits where nothing is to be started. */
const IDLE_MS: DurationMs = 60_000;

/** A question under way. What ends it is not tied to the worker's end: that would keep every answer for as long as the worker. */
interface Asked {
  readonly child: WorkerProcess;
  readonly answer: (answer: FromWorker) => void;
  readonly end: (why: Retriable) => void;
}

export class Supervisor implements Whole {
  readonly #parts: SupervisorParts;
  readonly #workforce: Workforce;
  readonly #running = new Map<number, WorkerProcess>();
  readonly #restarts = new Map<number, number>();
  readonly #lastEnds = new Map<number, string>();
  readonly #asked = new Map<number, Asked>();
  readonly #metrics = new SupervisorMetrics(() => this.rows());
  readonly #wait: Wait;
  #nextId = 1;
  #replacement: StateInUse | undefined;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#workforce = new Workforce(parts.count);
    this.#wait = new Wait(parts.clock);
  }

  get instance(): string {
    return this.#parts.instance;
  }

  /**
   * Resolves with an exit code: after a request to stop, or where no worker can go on.
   * @throws StateInUse where another process has taken a worker's name
   */
  async run({ requested }: Pick<Stop, 'requested'>): Promise<number> {
    void requested.then(() => {
      this.#stop();
    });
    const { clock } = this.#parts;
    for (let outcome = this.#workforce.outcome; ; outcome = this.#workforce.outcome) {
      if (this.#replacement !== undefined && outcome !== undefined) throw this.#replacement;
      if (outcome !== undefined) return outcome;
      for (const worker of this.#workforce.start(clock.monotonicMs())) this.#start(worker);
      const next = this.#workforce.nextStartMs;
      // With nothing to start, an end or the request to stop wakes it.
      await this.#wait.for(next === undefined ? IDLE_MS : Math.max(0, next - clock.monotonicMs()));
    }
  }

  rows(): readonly WorkerRow[] {
    return this.#workforce.numbers.map((worker) => ({
      worker,
      instance: this.#parts.instanceOf(worker),
      state: this.#workforce.stateOf(worker).kind,
      pid: this.#running.get(worker)?.pid,
      restarts: this.#restarts.get(worker) ?? 0,
      lastEnd: this.#lastEnds.get(worker),
    }));
  }

  async look(): Promise<Looked> {
    const silences: string[] = [];
    const answers = await this.#askAll({ about: 'view' }, (worker) => {
      silences.push(`worker ${worker} does not answer`);
    });
    const processes = answers.flatMap(({ view }) => (view === undefined ? [] : [view]));
    const workers = this.rows();
    return { processes, absences: absencesOf(workers, processes, silences), silences, workers };
  }

  async metrics(): Promise<string> {
    const answers = await this.#askAll({ about: 'metrics' });
    return this.#metrics.text(
      answers.flatMap(({ worker, metrics }) => (metrics === undefined ? [] : [{ worker: `${worker}`, text: metrics }])),
    );
  }

  async restart(pipeline: string, partition: number): Promise<RestartOutcome> {
    const answers = await this.#askAll({ about: 'restart', pipeline, partition });
    const outcomes = answers.map(({ outcome }) => outcome);
    // A partition that moves is with two workers for a moment.
    return (
      outcomes.find((outcome) => outcome === 'restarted') ?? outcomes.find((each) => each === 'notStopped') ?? 'absent'
    );
  }

  /** Does not wait for others once one has answered for all of the keys, as who has them. */
  lookUp(asking: Asking): Promise<readonly HereAnswers[]> {
    return this.#gather(
      { about: 'entries', asking },
      ({ entries }) => entries,
      ({ answers }) => answers.every((each) => each.kind === 'found' && each.from === 'owner'),
    );
  }

  /** Does not wait for others once one has the partition. */
  page(asking: PageAsking): Promise<readonly HerePage[]> {
    return this.#gather(
      { about: 'page', asking },
      ({ page }) => page,
      ({ page }) => page.kind === 'found',
    );
  }

  #gather<T>(
    question: Question,
    answerIn: (answer: FromWorker) => T | undefined,
    isEnough: (answer: T) => boolean,
  ): Promise<readonly T[]> {
    const found: T[] = [];
    return new Promise((resolve) => {
      const asked = [...this.#running.values()].map(async (child) => {
        const answer = answerIn(await this.#ask(child, question, ENTRIES_WITHIN_MS));
        if (answer === undefined) return;
        found.push(answer);
        if (isEnough(answer)) resolve(found);
      });
      void Promise.allSettled(asked).then(() => {
        resolve(found);
      });
    });
  }

  /** By any one: each of them can append to every partition. Another is asked only where one does not know the pipeline. */
  async act(asked: AskedAct): Promise<ActOutcome | undefined> {
    for (const child of this.#running.values()) {
      try {
        const { acted } = await this.#ask(child, { about: 'act', asked }, ACT_WITHIN_MS);
        if (acted !== undefined) return acted;
      } catch (error) {
        const why = `${UNSURE}: a worker does not answer: ${messageOf(error)}`;
        return { kind: 'unsure', why };
      }
    }
    return undefined;
  }

  endpoint(): string {
    return this.#parts.endpoint;
  }

  #start(worker: number): void {
    const { log, start } = this.#parts;
    const child = start(worker, (answer) => {
      const { id, failure } = answer;
      if (failure !== undefined) log.error('a question made a worker fail', { worker, failure });
      this.#asked.get(id)?.answer(answer);
    });
    this.#running.set(worker, child);
    log.info('worker starts', { worker, pid: child.pid });
    void child.ended.then((end) => {
      this.#ended(worker, end);
    });
  }

  #ended(worker: number, end: WorkerEnd): void {
    const { clock, log } = this.#parts;
    const how = endText(end);
    const nowMs = clock.monotonicMs();
    const child = this.#running.get(worker);
    for (const asked of this.#asked.values()) if (asked.child === child) asked.end(new Retriable('it has ended'));
    this.#running.delete(worker);
    this.#lastEnds.set(worker, how);
    const next = this.#workforce.ended(worker, end, nowMs);
    if (next.kind === 'waiting') {
      this.#restarts.set(worker, (this.#restarts.get(worker) ?? 0) + 1);
      const what =
        end.code === ExitCode.stateInUse
          ? 'a worker was replaced; unless worker 1 is, too, it takes its place back'
          : 'worker ended; it is started again';
      log.warn(what, { worker, how, inMs: next.untilMs - nowMs });
    } else if (this.#workforce.isReplaced && this.#replacement === undefined) {
      this.#replacement = this.#replacedAt(worker);
      log.error('a worker was replaced; this supervisor ends', { worker, instance: this.#parts.instanceOf(worker) });
      this.#stop();
    } else if (end.code === 0) log.info('worker ended', { worker, how });
    else log.error('worker ended; it is not started again', { worker, how });
    this.#wait.wake();
  }

  #replacedAt(worker: number): StateInUse {
    const { instance, instanceOf } = this.#parts;
    return new StateInUse(
      `another process runs as instance ${instance}: it has replaced worker ${worker} of this one, ${instanceOf(worker)}. ` +
        'Give each an instance of its own (instance, --instance, FLATLINE_INSTANCE), and do not start this one again under ' +
        'this name while the other runs. If both were started at once, see that the other does',
    );
  }

  #stop(): void {
    this.#workforce.stop();
    for (const child of this.#running.values()) child.send({ kind: 'stop' });
    this.#wait.wake();
  }

  async #askAll(
    question: Question,
    silent: (worker: number) => void = () => undefined,
  ): Promise<readonly (FromWorker & { readonly worker: number })[]> {
    const answers = await Promise.all(
      [...this.#running].map(async ([worker, child]) => {
        try {
          return [{ worker, ...(await this.#ask(child, question)) }];
        } catch (error) {
          this.#parts.log.warn('a worker does not answer', { worker, about: question.about, why: messageOf(error) });
          if (this.#running.get(worker) === child) silent(worker);
          return [];
        }
      }),
    );
    return answers.flat();
  }

  async #ask(child: WorkerProcess, question: Question, withinMs = ANSWER_WITHIN_MS): Promise<FromWorker> {
    const id = this.#nextId;
    this.#nextId += 1;
    const answered = new Promise<FromWorker>((resolve, reject) => {
      this.#asked.set(id, { child, answer: resolve, end: reject });
    });
    child.send({ kind: 'ask', id, question });
    try {
      return await withinDeadline(
        this.#parts.clock,
        withinMs,
        answered,
        () => new Retriable(`nothing for ${withinMs} ms`),
      );
    } finally {
      this.#asked.delete(id);
    }
  }
}

/** Why workers are not among `processes`. */
function absencesOf(
  workers: readonly WorkerRow[],
  processes: readonly ProcessView[],
  silences: readonly string[],
): readonly string[] {
  const absent = workers.filter(({ worker }) => !processes.some((each) => each.worker === worker));
  const others = absent.flatMap(({ worker, state, lastEnd = '' }) => {
    if (state === 'waiting') return [`worker ${worker} is started again: ${lastEnd}`];
    if (state === 'ended') return [`worker ${worker} is not started again: ${lastEnd}`];
    const silence = `worker ${worker} does not answer`;
    return silences.includes(silence) ? [silence] : [`worker ${worker} is starting`];
  });
  return others;
}

function endText({ code, signal }: WorkerEnd): string {
  return code === null ? `killed by ${signal ?? 'a signal'}` : `ended with ${code}`;
}
