// A small world for runtime tests: a simulated cluster with one pipeline's topics, processes that run the real runtime, and
// the oracle's fold of the input, which says what must come out.
import { MESSAGE_BYTES_MAX } from '@flatline/base';
import type { HeldTimeRules } from '@flatline/kinds';
import { type SessionInput, sessionKind, type SessionRules } from '@flatline/kinds/session';
import { type EventDecoder, resetEvent, type SessionSummary } from '@flatline/ports/formats';
import { decodeBlock } from '@flatline/partition';
import { type FaultRates, type LogRecord, Simulation, type SimulatedHost } from '@flatline/cluster';
import { type InputEvent, inputRecord } from '@flatline/oracle';
import { foldInput, type FoldedSummary } from '@flatline/oracle/session';
import {
  PipelineInstance,
  type PipelinePorts,
  type PipelineSettings,
  type StartFrom,
  TASK_BOUNDS,
  type TaskBounds,
} from './index.ts';

export const INPUT = 'in';
export const OUTPUT = 'out';
export const CHANGELOG = 'changelog';
export const DEAD_LETTERS = 'dead';
export const GROUP = 'app.visits';

export const SESSION_RULES: SessionRules = {
  timeoutMs: 1_000,
  minTimeoutMs: 1,
  maxTimeoutMs: 1e9,
  maxDurationMs: undefined,
  graceMs: 0,
  late: 'deadLetter',
  dedupeEventIds: 16,
  maxSources: 3,
  maxAttributes: 8,
  maxAttributeBytes: 1_024,
};

const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder();

/** Local stores are brought up more often than by default: a world lives for minutes. */
export const FLUSH_INTERVAL_MS = 15_000;
export const FREQUENT_FLUSHES: TaskBounds = { ...TASK_BOUNDS, flushIntervalMs: FLUSH_INTERVAL_MS };

export interface WorldSettings {
  readonly seed: number;
  readonly partitions?: number;
  readonly timeoutMs?: number;
  readonly maxDurationMs?: number;
  readonly truncateLagMs?: number;
  readonly truncateLagBytes?: number;
  /** Default: there are. */
  readonly tombstones?: boolean;
  readonly heldTime?: HeldTimeRules;
  /** Called after each turn of a task. */
  readonly onTurn?: () => void;
  readonly rates?: FaultRates;
  readonly timestampType?: 'LogAppendTime' | 'CreateTime';
  /** The world's own partitioner is not Kafka's. Default: no key is looked at. */
  readonly keyPartitions?: number;
  /** Further inputs (S8), of the first one's partition count and timestamp type. Default: none. */
  readonly furtherInputs?: readonly WorldInput[];
  /** Default: the log proves its silence by records. */
  readonly proofByFetch?: { readonly clockSkewMs: number };
  readonly standbys?: number;
  /** A process that is started again is the same instance to the group (KIP-345). Default: it is a new member. */
  readonly staticMembers?: boolean;
  /** All processes have their stores on the disk of one machine. Default: each has a machine of its own. */
  readonly oneDisk?: boolean;
  readonly commitIntervalMs?: number;
  /** Default: the changelog may elect unclean leaders. */
  readonly electsCleanly?: boolean;
  readonly maxDuePerSecond?: number;
  /** Default: no probes are sent. */
  readonly probeIntervalMs?: number;
  readonly startFrom?: StartFrom;
  /** Default: a stopped partition does not try again by itself. */
  readonly stoppedRetryMs?: number;
  /** Bytes of state that any event with a payload gives its session; by default payloads are not decoded. */
  readonly stateBytes?: number;
  /** Default: those of production. */
  readonly bounds?: TaskBounds;
  /** Instead of either. */
  readonly decode?: EventDecoder['decode'];
  /** Replaces the ports of a process. */
  readonly adapt?: (ports: PipelinePorts, name: string) => PipelinePorts;
  /** Looks at each summary before it is encoded, and may throw. */
  readonly onEncode?: (summary: SessionSummary) => void;
}

/** A further input. */
export interface WorldInput {
  readonly topic: string;
  readonly touches: boolean;
  readonly unknownKey: 'open' | 'hold' | 'deadLetter';
  readonly holdMs: number;
}

export interface Process {
  readonly name: string;
  readonly host: SimulatedHost;
  readonly instance: PipelineInstance;
  readonly failures: Error[];
  /** Every line the runtime logged, for a failing test to show. */
  readonly lines: string[];
}

export class World {
  readonly simulation: Simulation;
  readonly timeoutMs: number;
  readonly #world: WorldSettings;
  readonly partitions: number;
  /** The input's partition count, as processes started from now on take it. */
  inputPartitions: number;
  /** Settings of the processes started from now on. */
  startFrom: StartFrom | undefined;
  kind = 'session';
  tokenEpoch = 0;
  furtherInputs: readonly WorldInput[];
  timestampType: 'LogAppendTime' | 'CreateTime';
  /** How long each of their turns waits. */
  turnMs = 0;

  constructor(world: WorldSettings) {
    this.#world = world;
    this.partitions = world.partitions ?? 2;
    this.inputPartitions = this.partitions;
    this.startFrom = world.startFrom;
    this.furtherInputs = world.furtherInputs ?? [];
    this.timestampType = world.timestampType ?? 'LogAppendTime';
    this.timeoutMs = world.timeoutMs ?? 5_000;
    this.simulation = new Simulation(world.rates ? { seed: world.seed, rates: world.rates } : { seed: world.seed });
    const { log } = this.simulation;
    const { partitions } = this;
    log.createTopic(INPUT, { partitions, timestampType: this.timestampType });
    for (const { topic } of this.furtherInputs)
      log.createTopic(topic, { partitions, timestampType: this.timestampType });
    for (const topic of [OUTPUT, CHANGELOG, DEAD_LETTERS]) log.createTopic(topic, { partitions });
    this.simulation.group(GROUP, { partitions, sessionTimeoutMs: 10_000, standbys: world.standbys ?? 0 });
  }

  /** Starts a process and its runtime; joining goes on by itself as time runs. */
  launch(name: string, lines: string[] = [], failures: Error[] = []): Process {
    const shared = { disk: this.simulation.disk('machine'), sharesDisk: true };
    const { host, ports } = this.simulation.start(name, this.#world.oneDisk === true ? shared : {});
    const random = this.simulation.random(`entropy of ${name} at ${this.simulation.trueMs()}`);
    const note = (message: string, facts?: unknown): void => {
      lines.push(`${this.simulation.time.nowMs} ${name} ${message} ${JSON.stringify(facts, showErrors)}`);
    };
    const { turnMs } = this;
    const pipelinePorts: PipelinePorts = {
      ...ports,
      input: ports.reader,
      changelog: ports.reader,
      proofs: ports.proof,
      membership: ports.membership(GROUP, this.#world.staticMembers === true ? name : undefined),
      kind: sessionKind({
        rules: this.rules,
        decoder: this.#decoder(),
        ...(this.furtherInputs.length > 0 && { inputs: this.#inputs() }),
        encoder: {
          encode: (summary) => {
            this.#world.onEncode?.(summary);
            return encodeForTest(summary);
          },
        },
        tombstones: this.#world.tombstones ?? true,
        outputTopic: OUTPUT,
      }),
      turns: (callback) => {
        host.after(turnMs, () => {
          callback();
          this.#world.onTurn?.();
        });
      },
      entropy: {
        id: () => `${random.below(2 ** 32).toString(16)}${random.below(2 ** 32).toString(16)}`,
        seed: () => random.below(2 ** 32),
      },
      log: { info: note, warn: note, error: note },
    };
    const instance = new PipelineInstance({
      settings: this.settings(name),
      ports: this.#world.adapt?.(pipelinePorts, name) ?? pipelinePorts,
      onFatal: (error) => failures.push(error),
      bounds: this.#world.bounds ?? FREQUENT_FLUSHES,
    });
    void instance.start();
    return { name, host, instance, failures, lines };
  }

  #inputs(): SessionInput[] {
    const decoder = this.#decoder();
    const first = { decoder, touches: true, unknownKey: 'open' as const, holdMs: 0 };
    return [first, ...this.furtherInputs.map((input) => ({ ...input, decoder }))];
  }

  #decoder(): EventDecoder {
    const { stateBytes, decode } = this.#world;
    if (decode !== undefined) return { decode, prepare: () => Promise.resolve() };
    return stateBytes === undefined ? bareOnly : withState(stateBytes);
  }

  get rules(): SessionRules {
    const { maxDurationMs, stateBytes = 0 } = this.#world;
    const maxAttributeBytes = SESSION_RULES.maxAttributeBytes + stateBytes;
    return { ...SESSION_RULES, timeoutMs: this.timeoutMs, maxDurationMs, maxAttributeBytes };
  }

  settings(owner: string): PipelineSettings {
    return {
      name: 'visits',
      kind: this.kind,
      tokenEpoch: this.tokenEpoch,
      owner,
      group: GROUP,
      inputTopic: INPUT,
      inputPartitions: this.inputPartitions,
      ...(this.furtherInputs.length > 0 && {
        furtherInputs: this.furtherInputs.map(({ topic }) => ({ topic, rules: this.#inputRules })),
      }),
      outputTopic: OUTPUT,
      changelogTopic: CHANGELOG,
      deadLetterTopic: DEAD_LETTERS,
      letterBytesMax: MESSAGE_BYTES_MAX,
      transactionalId: (partition) => `app.visits.${partition}`,
      ...(this.#world.heldTime && { heldTime: this.#world.heldTime }),
      input: this.#inputRules,
      tickMs: 10,
      commitIntervalMs: this.#world.commitIntervalMs ?? 100,
      electsCleanly: this.#world.electsCleanly,
      closeDelayMs: 20,
      maxDuePerSecond: this.#world.maxDuePerSecond,
      proofIntervalMs: 100,
      ...(this.#world.probeIntervalMs !== undefined && { probeIntervalMs: this.#world.probeIntervalMs }),
      ...(this.#world.proofByFetch && { proofByFetch: this.#world.proofByFetch }),
      startFrom: this.startFrom ?? 'earliest',
      handoverMs: 10_000,
      ...(this.#world.stoppedRetryMs !== undefined && { stoppedRetryMs: this.#world.stoppedRetryMs }),
      drainMs: 1_000,
      changelogFactor: 4,
      truncateLagMs: this.#world.truncateLagMs ?? 600_000,
      truncateLagBytes: this.#world.truncateLagBytes ?? 1e12,
    };
  }

  get #inputRules(): PipelineSettings['input'] {
    return {
      timestampType: this.timestampType,
      maxKeyBytes: 512,
      maxFutureMs: 3_600_000,
      maxLeadMs: 60_000,
      liveWithinMs: 300_000,
      keyPartitions: this.#world.keyPartitions,
    };
  }

  beat(key: string): void {
    this.simulation.log.produce(INPUT, this.partitionOf(key), { key, value: '' });
  }

  end(key: string): void {
    this.simulation.log.produce(INPUT, this.partitionOf(key), { key, value: null });
  }

  /** A payload, which `decode` makes an event of. */
  say(key: string, value: string): void {
    this.simulation.log.produce(INPUT, this.partitionOf(key), { key, value });
  }

  partitionOf(key: string): number {
    let sum = 0;
    for (const byte of utf8.encode(key)) sum += byte;
    return sum % this.partitions;
  }

  /** Deletes the changelog below the floor of its last commit: as far as K4 ever allows, and with no delay. */
  truncateChangelog(partition: number): void {
    const { log } = this.simulation;
    const blocks = log.committed(CHANGELOG, partition).map(({ value }) => decodeBlock(value!));
    const last = blocks.findLast((block) => block.kind === 'state');
    if (last !== undefined) log.partition(CHANGELOG, partition).truncateBelow(last.header.floor);
  }

  /** Summaries on the output, as `key incarnation reason count first..last deadline`, sorted. */
  closed(): string[] {
    return this.#outputs()
      .filter(({ value }) => value !== null)
      .map(({ value }) => utf8Reader.decode(value))
      .sort();
  }

  tombstones(): number {
    return this.#outputs().filter(({ value }) => value === null).length;
  }

  #outputs(): LogRecord[] {
    return Array.from({ length: this.partitions }, (_, p) => this.simulation.log.committed(OUTPUT, p)).flat();
  }

  /** Outputs, sorted, that must be there once the log has proved the silence of everyone. Payloads count as bare heartbeats. */
  expected(): string[] {
    return Array.from({ length: this.partitions }, (_, p) => this.#fold(p))
      .flat()
      .sort();
  }

  #fold(partition: number): string[] {
    const { rules } = this;
    const { input, heldTime = { unheardMs: 0, maxHoldMs: 0 } } = this.settings('');
    const { timestampType, maxKeyBytes } = input;
    const records = this.simulation.log
      .committed(INPUT, partition)
      .map((record) => inputRecord(record, () => BARE_EVENT));
    const judged = { kind: 'session', ...rules, ...heldTime, timestampType, maxKeyBytes } as const;
    return foldInput(records, { partition, rules: judged, closesAll: true }).summaries.map(foldedLine);
  }
}

const BARE_EVENT: InputEvent = {
  type: 'HEARTBEAT',
  occurredAt: undefined,
  eventId: undefined,
  sequence: undefined,
  timeoutMs: undefined,
  attributes: undefined,
};

const bareOnly: EventDecoder = {
  decode: () => ({ kind: 'bad', reason: 'invalid-json', detail: 'tests of the runtime send bare heartbeats' }),
  prepare: () => Promise.resolve(),
};

function withState(bytes: number): EventDecoder {
  const attributes = new Map([['state', 'x'.repeat(bytes)]]);
  return {
    decode: (_bytes, _start, _length, event) => {
      resetEvent(event);
      event.attributes = attributes;
      return { kind: 'event' };
    },
    prepare: () => Promise.resolve(),
  };
}

function line(
  key: string,
  incarnation: string,
  reason: string,
  at: { first: number; last: number; count: number },
  closedAt: number,
): string {
  return `${key} ${incarnation} ${reason} ${at.count} ${at.first}..${at.last} ${closedAt}`;
}

function foldedLine({ incarnation, ...of }: FoldedSummary): string {
  const [key, reason] = [String(of['sessionId']), String(of['reason'])];
  const at = { first: Number(of['firstOffset']), last: Number(of['lastOffset']), count: Number(of['eventCount']) };
  return line(key, incarnation, reason, at, Number(of['closedAt']));
}

const written = Buffer.alloc(4_096);

/** Valid until the next call, as the product's: what is kept too long is seen. */
function encodeForTest(summary: SessionSummary): Uint8Array {
  const { key, incarnation, reason, firstOffset: first, lastOffset: last, eventCount: count, closedAt } = summary;
  const said = line(utf8Reader.decode(key), incarnation, reason, { first, last, count }, closedAt);
  return written.subarray(0, written.write(said));
}

function showErrors(_name: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
