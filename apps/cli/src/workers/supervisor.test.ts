import { describe, expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import type { ProcessView } from '@flatline/processor';
import { ExitCode } from '../exit-code.ts';
import { Supervisor, type WorkerProcess } from './supervisor.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';
import type { WorkerEnd } from './workforce.ts';

const KILLED: WorkerEnd = { code: null, signal: 'SIGKILL' };
const nothing = (): void => undefined;
const view = (worker: number): ProcessView => ({
  worker,
  instance: `a-${worker}`,
  wallNow: 0,
  hasStarted: true,
  isStopping: false,
  lookUpFill: 0,
  pipelines: [],
});

/** A worker without a process: it answers, unless it is silent, and ends when told to. */
class Worker implements WorkerProcess {
  readonly pid = 7;
  readonly ended: Promise<WorkerEnd>;
  isSilent = false;
  hasStarted = true;
  end: (end: WorkerEnd) => void = nothing;
  readonly #number: number;
  readonly #answer: (message: FromWorker) => void;

  constructor(number: number, answer: (message: FromWorker) => void) {
    this.#number = number;
    this.#answer = answer;
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  send(message: ToWorker): void {
    if (message.kind === 'stop') this.end({ code: 0, signal: null });
    else if (!this.isSilent)
      this.#answer({
        kind: 'answer',
        id: message.id,
        ...(this.hasStarted && {
          view: view(this.#number),
          outcome: this.#number === 2 ? ('restarted' as const) : ('absent' as const),
        }),
        metrics: `# TYPE up gauge\nup 1\n`,
      });
  }
}

function supervised(count: number) {
  const simulation = new Simulation({ seed: 1 });
  const { clock } = simulation.start('host').ports;
  const started: Worker[] = [];
  const supervisor = new Supervisor({
    count,
    instance: 'a',
    endpoint: '',
    instanceOf: (worker) => `a-${worker}`,
    start: (worker, hear) => {
      const process = new Worker(worker, hear);
      started.push(process);
      return process;
    },
    clock,
    log: { info: nothing, warn: nothing, error: nothing },
  });
  let stop = nothing;
  const requested = new Promise<void>((resolve) => {
    stop = resolve;
  });
  return { supervisor, started, time: simulation.time, stop, running: supervisor.run({ requested }) };
}

/**
 * Two supervisors of one name, each of whose workers joins so long after its start, five minutes later. As in the group, who
 * joined last under a name has it, and the former one is told with its next heartbeat.
 */
async function afterBothStarted(joinsA: readonly number[], joinsB: readonly number[]) {
  const simulation = new Simulation({ seed: 1 });
  const { clock } = simulation.start('host').ports;
  const holders = new Map<number, Worker>();
  const running = new Set<string>();
  const outcomes: string[] = [];
  const join = (number: number, worker: Worker): void => {
    const former = holders.get(number);
    holders.set(number, worker);
    clock.after(3_000, () => former?.end({ code: ExitCode.stateInUse, signal: null }));
  };
  const supervise = async (of: string, joins: readonly number[]): Promise<void> => {
    const start = (number: number, hear: (message: FromWorker) => void): WorkerProcess => {
      const worker = new Worker(number, hear);
      running.add(`${of} ${number}`);
      void worker.ended.then(() => running.delete(`${of} ${number}`));
      clock.after(joins[number - 1]!, () => {
        if (running.has(`${of} ${number}`)) join(number, worker);
      });
      return worker;
    };
    const log = { info: nothing, warn: nothing, error: nothing };
    const supervisor = new Supervisor({
      count: 2,
      instance: 'a',
      endpoint: '',
      instanceOf: (number) => `a-${number}`,
      start,
      clock,
      log,
    });
    await supervisor.run({ requested: new Promise(nothing) }).then(
      (code) => outcomes.push(`${of} ended with ${code}`),
      () => outcomes.push(`${of} was replaced`),
    );
  };
  void supervise('A', joinsA);
  void supervise('B', joinsB);
  await simulation.time.runFor(300_000);
  return { outcomes, running: [...running].sort() };
}

describe('a supervisor', () => {
  test('SV1: a worker that was killed is started again, and the stop that all are asked for ends it with 0', async () => {
    const { supervisor, started, time, stop, running } = supervised(2);
    await time.runFor(1);
    expect(started).toHaveLength(2);
    started[1]!.end(KILLED);
    await time.runFor(100);
    expect(supervisor.rows()[1]).toMatchObject({ worker: 2, state: 'waiting', lastEnd: 'killed by SIGKILL' });
    expect((await time.complete(supervisor.look())).absences).toEqual(['worker 2 is started again: killed by SIGKILL']);
    await time.runFor(200);
    expect(started).toHaveLength(3);
    expect(supervisor.rows()[1]).toMatchObject({ worker: 2, state: 'running', restarts: 1 });
    stop();
    expect(await time.complete(running)).toBe(0);
  });

  test('SV1: a worker that was replaced is not started again: the others drain, and the whole ends, replaced', async () => {
    const { supervisor, started, time, running } = supervised(2);
    await time.runFor(1);
    started[0]!.end({ code: ExitCode.stateInUse, signal: null });
    await expect(time.complete(running)).rejects.toThrow(
      'another process runs as instance a: it has replaced worker 1 of this one, a-1. Give each an instance of its own ' +
        '(instance, --instance, FLATLINE_INSTANCE), and do not start this one again under this name while the other runs. ' +
        'If both were started at once, see that the other does',
    );
    expect(started).toHaveLength(2);
    expect(supervisor.rows().map(({ state, restarts }) => [state, restarts])).toEqual([
      ['ended', 0],
      ['ended', 0],
    ]);
  });

  test.each([
    ['A1 B1 B2 A2', [900, 1_100], [1_000, 1_000], 'B'],
    ['B2 A1 A2 B1', [1_000, 1_000], [1_100, 900], 'B'],
    ['A2 B1 B2 A1', [1_100, 900], [1_000, 1_000], 'A'],
    ['A1 A2 B1 B2', [900, 900], [1_000, 1_000], 'B'],
    ['A1 A2 B2, and B1 a minute later', [900, 900], [61_000, 1_000], 'B'],
  ])('[P2] of two of one name that start together one goes on, whole: %s', async (_order, joinsA, joinsB, stays) => {
    expect(await afterBothStarted(joinsA, joinsB)).toEqual({
      outcomes: [`${stays === 'A' ? 'B' : 'A'} was replaced`],
      running: [`${stays} 1`, `${stays} 2`],
    });
  });

  test('SV2: answers without a worker that is silent, and says so; one that is starting is not silent', async () => {
    const { supervisor, started, time } = supervised(3);
    await time.runFor(1);
    started[1]!.isSilent = true;
    started[2]!.hasStarted = false;
    const looked = await time.complete(supervisor.look());
    expect(looked.processes.map(({ worker }) => worker)).toEqual([1]);
    expect(looked.silences).toEqual(['worker 2 does not answer']);
    expect(looked.absences).toEqual(['worker 2 does not answer', 'worker 3 is starting']);
    const metrics = await time.complete(supervisor.metrics());
    expect(metrics).toContain('up{worker="1"} 1');
    expect(metrics).not.toContain('up{worker="2"}');
  });

  test('a stopped partition is started again by the worker that has it', async () => {
    const { supervisor, started, time } = supervised(2);
    await time.runFor(1);
    expect(await time.complete(supervisor.restart('visits', 0))).toBe('restarted');
    started[1]!.hasStarted = false;
    expect(await time.complete(supervisor.restart('visits', 0))).toBe('absent');
  });

  test('SV2: a worker that ends instead of answering is not waited for', async () => {
    const { supervisor, started, time } = supervised(1);
    await time.runFor(1);
    started[0]!.isSilent = true;
    const looking = supervisor.look();
    started[0]!.end(KILLED);
    expect((await time.complete(looking)).silences).toEqual([]);
    expect(time.nowMs).toBeLessThan(3_000);
  });
});
