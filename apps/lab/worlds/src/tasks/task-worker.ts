// A worker of tasks as a process of the simulated cluster: the SDK's own code over the ports of its host.
//
// Owns: the ports that it opens, its end.
// Does not own: what its handlers do (Handler).
import { type Millis, PartitionStopped, Retriable } from '@flatline/base';
import { leasesOver, outcomeIn, outputsOver, SentSchedules, type TaskPorts, workOver } from '@flatline/client/parts';
import type { HostPorts, SimulatedHost, Simulation } from '@flatline/cluster';
import type { LogAdmin } from '@flatline/ports';
import { patiently } from '@flatline/system';
import { Handler, LEASE_MS } from './handler.ts';
import type { GivenOutcome, TaskLedger } from './ledger.ts';
import { DUE, LOCKS, RESULTS, TASKS, type TaskScenario, WORKERS_GROUP } from './scenario.ts';
import type { TokenGate } from './token-gate.ts';
import type { WorkerFreezes } from './worker-freezes.ts';

export interface TaskWorkerParts {
  readonly simulation: Simulation;
  readonly scenario: TaskScenario;
  readonly ledger: TaskLedger;
  readonly gate: TokenGate;
  readonly freezes: WorkerFreezes;
  readonly note: (line: string) => void;
}

/** As long as the real admin tries. */
const PATIENCE = { firstMs: 20, mostMs: 1_000, limitMs: 20_000 };
const CLOSE_MS = 5_000;
const TOKEN_HEADER = 'flatline-token';
const text = new TextDecoder();

type Admin = Pick<LogAdmin, 'ends' | 'committedOffset' | 'offsetAt'>;

export class TaskWorker {
  readonly host: SimulatedHost;
  readonly #ports: HostPorts;
  readonly #parts: TaskWorkerParts;
  readonly #admin: Admin;
  readonly #ending = new AbortController();
  #asked = 0;
  #askedForResultsAt: Millis = 0;

  constructor(name: string, parts: TaskWorkerParts) {
    const { host, ports } = parts.simulation.start(name);
    this.host = host;
    this.#ports = ports;
    this.#parts = parts;
    this.#admin = patientAdmin(ports.admin, host);
    parts.ledger.workers.set(name, parts.simulation.trueMs());
  }

  /** Ends in good order, and its process with it. */
  leave(): void {
    this.#ending.abort();
  }

  /** Until it leaves, or what it needs is away for too long. @throws what is no such thing */
  async run(): Promise<void> {
    const { note, simulation } = this.#parts;
    const closing: (() => Promise<void>)[] = [];
    try {
      await workOver(...(await this.#opened(closing)));
    } catch (error) {
      if (!passes(error)) throw error;
      note(`${this.host.name} ends: ${(error as Error).message}`);
      simulation.faults.count('workerGaveUp');
    } finally {
      for (const close of closing) await close().catch(() => undefined);
      this.host.kill();
    }
  }

  async #opened(closing: (() => Promise<void>)[]): Promise<Parameters<typeof workOver>> {
    const { scenario, note } = this.#parts;
    const { host } = this;
    const { reader } = this.#ports;
    const { attempts, firstMs, mostMs, retryBy, timeoutMs, isLeased } = scenario;
    closing.push(() => reader.close());
    const ends = await this.#endsOf(RESULTS);
    const leases = isLeased ? await this.#leases(closing) : undefined;
    const writer = retryBy === 'schedule' ? this.#ports.acknowledged(`${TASKS}-in`) : undefined;
    const outputs: TaskPorts['outputs'] = (kind, reading) =>
      outputsOver(
        kind,
        { ...reading, commitIntervalMs: 300 },
        () => this.#outputPorts(),
        (given) => given,
      );
    const askedAt = (): Millis => this.#askedForResultsAt;
    const handler = new Handler({ ...this.#parts, host, random: this.#random('handler'), timeoutMs, askedAt });
    const schedules = `${TASKS}-in`;
    return [
      {
        runs: DUE,
        group: WORKERS_GROUP,
        handler: handler.handle,
        ...(timeoutMs !== undefined && { timeoutMs }),
        retries: { attempts, firstMs, mostMs, ...(writer && { schedules }) },
        worker: host.name,
        onTrouble: ({ message }) => {
          note(`${host.name} ${message}`);
        },
      },
      {
        clock: host,
        outputs,
        reader,
        admin: this.#resultsAdmin(),
        ends,
        outcomes: this.#outcomes(),
        later: writer && new SentSchedules({ clock: host, topic: schedules, writer }),
        leases,
        signal: this.#ending.signal,
      },
    ];
  }

  /** Notes when it is asked for ends. */
  #resultsAdmin(): TaskPorts['admin'] {
    const admin = this.#admin;
    return {
      ...admin,
      ends: (place) => {
        this.#askedForResultsAt = this.#parts.simulation.trueMs();
        return admin.ends(place);
      },
    };
  }

  #outputPorts(): ReturnType<Parameters<typeof outputsOver>[2]> {
    return {
      clock: this.host,
      reader: this.#ports.reader,
      admin: this.#admin,
      membership: this.#ports.membership(WORKERS_GROUP),
      registry: undefined,
      close: () => Promise.resolve(),
    };
  }

  async #leases(closing: (() => Promise<void>)[]): Promise<TaskPorts['leases']> {
    const { clockSkewMs } = this.#parts.scenario;
    const ends = await this.#endsOf(LOCKS);
    const writer = this.#ports.acknowledged(`${LOCKS}-in`);
    const held = leasesOver(
      { topic: `${LOCKS}-in`, answers: LOCKS, clockSkewMs, answerWithinMs: 10_000 },
      {
        clock: this.host,
        write: (record) => {
          this.#noteEnd(record);
          return writer.write(record);
        },
        reader: this.#ports.reader,
        starts: new Map(ends.map(({ partition, end }) => [partition, end])),
        registry: undefined,
        newRequestId: () => `${this.host.name}/${++this.#asked}`,
      },
    );
    closing.unshift(() => held.close(CLOSE_MS, () => writer.close()));
    return { acquire: (id, wish = {}) => held.acquire(id, wish) };
  }

  /** Notes a lease that is given back. */
  #noteEnd({ key, value, headers = [] }: Parameters<TaskPorts['outcomes']['write']>[0]): void {
    const token = headers.find(({ name }) => name === TOKEN_HEADER)?.value;
    if (value !== null || token == null) return;
    const { ledger, simulation } = this.#parts;
    const id = text.decode(key).slice(DUE.length + 1);
    ledger.givenBack.push({ worker: this.host.name, id, token: Number(text.decode(token)), at: simulation.trueMs() });
  }

  /** Notes what is given to be recorded. */
  #outcomes(): TaskPorts['outcomes'] {
    const { ledger, freezes, simulation } = this.#parts;
    const writer = this.#ports.acknowledged(RESULTS);
    return {
      write: async (record) => {
        const { id, attempt, token, finishedAt: at, error = '' } = outcomeIn(record.value)!;
        const worker = this.host.name;
        const begun = ledger.begun.findLast((each) => each.worker === worker && each.id === id);
        const wasSuspended = this.#sleptSince((begun?.askedAt ?? 0) - LEASE_MS);
        const wasLost = error.includes('is over:');
        const given: GivenOutcome = {
          worker,
          id,
          attempt,
          token,
          at,
          wasSuspended,
          wasLost,
          acknowledgedAt: undefined,
        };
        ledger.given.push(given);
        freezes.recording(this.host);
        const appendedAt = await writer.write(record);
        given.acknowledgedAt = simulation.trueMs();
        return appendedAt;
      },
    };
  }

  #sleptSince(at: Millis): boolean {
    const { simulation } = this.#parts;
    const { nowMs } = simulation.time;
    const sinceMs = nowMs - Math.ceil(simulation.trueMs() - at);
    return simulation.suspendedMsBetween(this.host.name, sinceMs, nowMs) > 0;
  }

  #endsOf(topic: string): Promise<{ readonly partition: number; readonly end: number }[]> {
    const partitions = Array.from({ length: this.#parts.scenario.partitions }, (_, partition) => partition);
    return Promise.all(
      partitions.map(async (partition) => {
        const { lastStableOffset } = await this.#admin.ends({ topic, partition });
        return { partition, end: lastStableOffset };
      }),
    );
  }

  #random(name: string) {
    return this.#parts.simulation.random(`${name} of ${this.host.name}`);
  }
}

/** Leases say why they are kept no more. */
function passes(error: unknown): boolean {
  const cause = error instanceof Error && error.message.startsWith('leases cannot be kept') ? error.cause : error;
  return cause instanceof Retriable || cause instanceof PartitionStopped;
}

/** Asks again as the real one does; a new leader that is not sure of its end has that asked again, too (KIP-207). */
function patientAdmin(admin: LogAdmin, host: SimulatedHost): Admin {
  const ask = <T>(attempt: () => Promise<T>): Promise<T> =>
    patiently(host, PATIENCE, attempt, (error) => error instanceof Retriable);
  return {
    ends: (place) =>
      ask(async () => {
        const ends = await admin.ends(place);
        // Without transactions its end is the stable one.
        return place.topic === RESULTS ? { ...ends, lastStableOffset: await admin.replicatedEnd(place) } : ends;
      }),
    committedOffset: (group, place) => ask(() => admin.committedOffset(group, place)),
    offsetAt: (place, timestamp) => ask(() => admin.offsetAt(place, timestamp)),
  };
}
