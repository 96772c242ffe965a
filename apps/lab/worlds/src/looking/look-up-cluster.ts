// A simulated cluster of one pipeline of sessions, with processes that answer for keys, and ask each other (Q1).
//
// Owns: the processes.
// Does not own: what is done to them, and when they are asked (LookUpWorld), whether they are right (LookUpJudge).
import { MESSAGE_BYTES_MAX, Retriable } from '@flatline/base';
import { calm, type EndedTransaction, type LogRecord, rough, type SimulatedHost, Simulation } from '@flatline/cluster';
import { sessionKind, type SessionRules, sessionView } from '@flatline/kinds/session';
import { type EventDecoder, resetEvent } from '@flatline/ports/formats';
import { ask, type Asked, type Asking, type EntryAnswer, Here, type HereAnswers } from '@flatline/processor/directory';
import {
  PipelineInstance,
  type PipelinePorts,
  type PipelineSettings,
  TASK_BOUNDS,
  type TaskBounds,
} from '@flatline/runtime';
import { blockIn, recordsOf } from '../judging/decisions.ts';
import { CHANGELOG, DEAD_LETTERS, GROUP, INPUT, OUTPUT } from '../pipeline-names.ts';

export const TIMEOUT_MS = 3_000;
const PIPELINE = 'visits';
/** Value of an event whose attributes take pages of state: a cut of it has slices. */
export const LONG_EVENT = 'long';

const RULES: SessionRules = {
  timeoutMs: TIMEOUT_MS,
  minTimeoutMs: 1,
  maxTimeoutMs: 1e9,
  maxDurationMs: undefined,
  graceMs: 0,
  late: 'deadLetter',
  dedupeEventIds: 16,
  maxSources: 3,
  maxAttributes: 8,
  maxAttributeBytes: 4_096,
};
const FORWARDED_WITHIN_MS = 900;
const LINES_MAX = 200;
/** Logged by a process once a task of it may answer. */
const RUNS = 'task runs';
const utf8 = new TextEncoder();

export interface LookUpScenario {
  readonly partitions: number;
  readonly standbys: number;
  readonly isRough: boolean;
  readonly commitIntervalMs: number;
  /** Small: cuts and restores have slices, between which keys are asked for. */
  readonly hasSmallSlices: boolean;
  /** Due entries wait for their turn, so that they are asked for meanwhile. */
  readonly maxDuePerSecond: number | undefined;
}

export interface LookUpProcess {
  readonly name: string;
  readonly host: SimulatedHost;
  readonly instance: PipelineInstance;
  readonly here: Here;
  /** The input's end when it was started. */
  readonly inputPartitions: number;
  /** Partitions of which a task has run here. */
  readonly ran: ReadonlySet<number>;
  isLeaving: boolean;
}

export interface Saying {
  readonly process: LookUpProcess;
  readonly keys: readonly Uint8Array[];
  readonly answers: HereAnswers;
}

export class LookUpCluster {
  readonly simulation: Simulation;
  readonly processes = new Map<string, LookUpProcess>();
  readonly lines: string[] = [];
  inputPartitions: number;
  /** Errors that ended a process; where a topic was made again there may be some. */
  readonly failures: string[] = [];
  readonly #scenario: LookUpScenario;
  #endedSeen = 0;
  readonly #committed = new Map<number, number>();
  /** By partition and owner. */
  readonly #committedBy = new Map<string, number>();
  readonly #view = sessionView(RULES);
  /** Told of what each process says by itself. */
  readonly #onSaid: (said: Saying) => void;
  /** Called between two slices of what a process does. */
  readonly #onTurn: (name: string) => void;

  constructor(
    seed: number,
    scenario: LookUpScenario,
    { onSaid, onTurn }: { readonly onSaid: (said: Saying) => void; readonly onTurn: (name: string) => void },
  ) {
    this.simulation = new Simulation({ seed, rates: scenario.isRough ? rough : calm });
    this.#scenario = scenario;
    this.#onSaid = onSaid;
    this.#onTurn = onTurn;
    const { partitions, standbys } = scenario;
    this.inputPartitions = partitions;
    for (const topic of [INPUT, OUTPUT, CHANGELOG, DEAD_LETTERS])
      this.simulation.log.createTopic(topic, { partitions });
    this.simulation.group(GROUP, { partitions, standbys, sessionTimeoutMs: 10_000 });
  }

  get up(): readonly LookUpProcess[] {
    return [...this.processes.values()].filter(({ host }) => host.alive);
  }

  launch(name: string): void {
    const { host, ports } = this.simulation.start(name);
    const random = this.simulation.random(`entropy of ${name} at ${this.simulation.time.nowMicros}`);
    const turnMs = this.#scenario.hasSmallSlices ? 2 : 0;
    const ran = new Set<number>();
    const note = (message: string, facts?: Readonly<Record<string, unknown>>): void => {
      if (message === RUNS) ran.add(Number(facts!['partition']));
      this.#note(`${this.simulation.time.nowMs} ${name} ${message} ${JSON.stringify(facts, showErrors)}`);
    };
    const pipelinePorts: PipelinePorts = {
      ...ports,
      input: ports.reader,
      changelog: ports.reader,
      proofs: ports.proof,
      membership: ports.membership(GROUP),
      kind: sessionKind({
        rules: RULES,
        decoder,
        encoder: { encode: ({ incarnation }) => utf8.encode(incarnation) },
        tombstones: true,
        outputTopic: OUTPUT,
      }),
      turns: (callback) => {
        host.after(turnMs, () => {
          if (turnMs > 0) this.#onTurn(name);
          callback();
        });
      },
      entropy: {
        id: () => `${random.below(2 ** 32).toString(16)}${random.below(2 ** 32).toString(16)}`,
        seed: () => random.below(2 ** 32),
      },
      log: { info: note, warn: note, error: note },
    };
    const instance = new PipelineInstance({
      settings: this.#settings(name),
      ports: pipelinePorts,
      bounds: this.#bounds,
      onFatal: (error) => {
        this.failures.push(`${name}: ${error.message}`);
        host.kill();
      },
    });
    const { inputPartitions } = this;
    const here = new Here(name, host);
    this.processes.set(name, { name, host, instance, here, inputPartitions, ran, isLeaving: false });
    void instance.start();
  }

  /** Leaves as on SIGTERM. */
  leave(process: LookUpProcess): void {
    process.isLeaving = true;
    void process.instance.stop().then(() => {
      process.host.kill();
    });
  }

  /** As a client that asks this process over HTTP. */
  async ask(process: LookUpProcess, keys: readonly Uint8Array[], isNow: boolean): Promise<readonly EntryAnswer[]> {
    return answersOf(await ask(this.#askedOf(process), { pipeline: PIPELINE, keys, isNow, forwardedBy: undefined }));
  }

  #askedOf(process: LookUpProcess): Asked {
    return {
      here: async (asking) => [await this.#here(process, asking)],
      there: (endpoint, group, { keys, isNow }) => this.#forward(process, endpoint, { group, keys, isNow }),
      endpoint: () => `http://${process.name}`,
      wallMs: () => process.host.wallMs(),
    };
  }

  async #here(process: LookUpProcess, asking: Asking): Promise<HereAnswers> {
    const { instance, here, inputPartitions } = process;
    const looked = {
      name: PIPELINE,
      kind: 'session' as const,
      group: GROUP,
      inputPartitions,
      isKeyed: true,
      instances: instance.instances,
      show: this.#show,
      lookAtOnce: instance.lookAtOnce.bind(instance),
      lookUp: instance.lookUp.bind(instance),
    };
    const answers = await here.answer(looked, asking);
    this.#onSaid({ process, keys: asking.keys, answers });
    return answers;
  }

  readonly #show: Parameters<PipelineInstance['lookUp']>[2]['show'] = (entry, place) =>
    this.#view.shown(entry as never, place);

  /** One hop: a process that is dead refuses, one that stands still does not answer. */
  #forward(
    from: LookUpProcess,
    endpoint: string,
    { group, keys, isNow }: { readonly group: string; readonly keys: readonly Uint8Array[]; readonly isNow: boolean },
  ): Promise<readonly EntryAnswer[]> {
    const to = this.processes.get(endpoint.replace('http://', ''));
    return new Promise((resolve, reject) => {
      if (to?.host.alive !== true) {
        reject(new Retriable('refused'));
        return;
      }
      from.host.after(FORWARDED_WITHIN_MS, () => {
        reject(new Retriable('no answer in time'));
      });
      // It comes when the process goes on: the question may be old by then, and whoever asked gone.
      to.host.after(1, () => {
        const answers = ask(this.#askedOf(to), { pipeline: PIPELINE, keys, isNow, forwardedBy: group });
        void Promise.resolve(answers).then((said) => {
          from.host.after(1, () => {
            // As HTTP 400: it knows another group, or the input by other partitions.
            if (said === undefined || typeof said === 'string') reject(new Retriable(String(said)));
            else resolve(said);
          });
        }, reject);
      });
    });
  }

  get #bounds(): TaskBounds {
    if (!this.#scenario.hasSmallSlices) return { ...TASK_BOUNDS, flushIntervalMs: 5_000 };
    return { ...TASK_BOUNDS, flushIntervalMs: 5_000, blockBytesMax: 400, cutSliceBytes: 40, loadSlice: 1, armSlice: 2 };
  }

  #settings(owner: string): PipelineSettings {
    const { inputPartitions } = this;
    const { commitIntervalMs, maxDuePerSecond } = this.#scenario;
    return {
      name: PIPELINE,
      kind: 'session',
      owner,
      group: GROUP,
      inputTopic: INPUT,
      inputPartitions,
      outputTopic: OUTPUT,
      changelogTopic: CHANGELOG,
      deadLetterTopic: DEAD_LETTERS,
      letterBytesMax: MESSAGE_BYTES_MAX,
      transactionalId: (partition) => `${GROUP}.${partition}`,
      input: {
        timestampType: 'LogAppendTime',
        maxKeyBytes: 512,
        maxFutureMs: 3_600_000,
        maxLeadMs: 60_000,
        liveWithinMs: 300_000,
        keyPartitions: inputPartitions,
      },
      tickMs: 10,
      commitIntervalMs,
      maxDuePerSecond,
      closeDelayMs: 20,
      electsCleanly: true,
      proofIntervalMs: 100,
      startFrom: 'earliest',
      handoverMs: 10_000,
      drainMs: 1_000,
      changelogFactor: 4,
      truncateLagMs: 10_000,
      truncateLagBytes: 1e12,
    };
  }

  #note(line: string): void {
    this.lines.push(line);
    if (this.lines.length > LINES_MAX) this.lines.splice(0, LINES_MAX / 2);
  }

  /**
   * Input position of the newest commit that the coordinator has decided on, whoever has heard of it: of all, or of those that `owner`
   * made or restored. An owner that was deposed knows of no others, and what it says is of its own.
   */
  committedPosition(partition: number, owner?: string): number {
    const { endedTransactions } = this.simulation.log;
    for (; this.#endedSeen < endedTransactions.length; this.#endedSeen += 1)
      this.#noteEnded(endedTransactions[this.#endedSeen]!);
    const all = this.#committed.get(partition) ?? 0;
    return owner === undefined ? all : (this.#committedBy.get(`${partition} ${owner}`) ?? 0);
  }

  #noteEnded({ marker, writes }: EndedTransaction): void {
    if (marker !== 'commit') return;
    for (const { topic, partition, written } of writes) {
      if (topic !== CHANGELOG) continue;
      for (const record of recordsOf(written)) {
        const block = blockIn(record);
        // Not each commit has an offset of the group beside it (R3).
        if (block.kind !== 'claim') this.#committed.set(partition, block.header.position);
        // A claim, too: what is committed by then is restored.
        const owner = block.kind === 'claim' ? block.owner : block.header.owner;
        this.#committedBy.set(`${partition} ${owner}`, this.#committed.get(partition) ?? 0);
      }
    }
  }

  committed(partition: number): readonly LogRecord[] {
    return this.simulation.log.committed(INPUT, partition);
  }
}

const LONG = new Map([['note', 'x'.repeat(1_500)]]);

const decoder: EventDecoder = {
  decode: (_bytes, _start, _length, event) => {
    resetEvent(event);
    event.attributes = LONG;
    return { kind: 'event' };
  },
  prepare: () => Promise.resolve(),
};

/** @throws where there is no such pipeline, or no key of it can be asked: neither is so here */
function answersOf(answers: readonly EntryAnswer[] | string | undefined): readonly EntryAnswer[] {
  if (answers === undefined || typeof answers === 'string') throw new Error(`no answers: ${String(answers)}`);
  return answers;
}

function showErrors(_name: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
