// A log of requests for leases, a task that takes them, and what the oracle says of them.
import type { RawRecord } from '@flatline/oracle';
import { foldLeases, type LeaseFoldOptions, type Said } from '@flatline/oracle/lease';
import type { HeldTimeRules } from '@flatline/kinds';
import { leaseKind, type LeaseRules } from '@flatline/kinds/lease';
import { blankLeaseRequest, type LeaseEventEncoder, type LeaseRequestDecoder } from '@flatline/ports/formats';
import type { RecordHeader } from '@flatline/ports';
import { timerFaults } from '../../entries/timer-inspection.ts';
import { PartitionTask, type StateLimits } from '../../index.ts';
import { type Folded, KindLog, type Output, PARTITION, WALL } from '../kind-log.fixture.ts';
import { bytes, options, text } from '../../task.fixture.ts';

const LEASE_RULES: LeaseRules = {
  timeoutMs: 10_000,
  minTimeoutMs: 1_000,
  maxTimeoutMs: 60_000,
  bucketMs: 0,
  onConflict: 'reject',
  maxWaiters: 3,
  lockDelayMs: 0,
  maxDurationMs: undefined,
  tokenEpoch: 0,
  maxAttributes: 4,
  maxAttributeBytes: 64,
};
/** Tokens of one epoch. */
export const EPOCH = 2 ** 40;

/** The codecs are the shell's: as much of one as these tests send. */
const decoder: LeaseRequestDecoder = {
  decode: (all, start, length, target) => {
    const value = text(all.subarray(start, start + length));
    if (!value.startsWith('{')) return { kind: 'bad', reason: 'invalid-json', detail: value };
    const { attributes = {}, ...said } = JSON.parse(value) as Record<string, object>;
    Object.assign(target, blankLeaseRequest(), said);
    target.attributes = Object.keys(attributes).length === 0 ? undefined : new Map(Object.entries(attributes));
    return { kind: 'event' };
  },
  prepare: () => Promise.resolve(),
};

const encoder: LeaseEventEncoder = {
  encode: ({ key, attributes, holder, ...event }) => {
    const maps = { attributes: Object.fromEntries(attributes), ...(holder && { holder: Object.fromEntries(holder) }) };
    return bytes(JSON.stringify({ leaseId: text(key), ...event, ...maps }));
  },
};

export interface LeaseSettings {
  readonly rules?: Partial<LeaseRules>;
  readonly heldTime?: HeldTimeRules;
  readonly groupMax?: number;
  /** Default: `LogAppendTime`. */
  readonly timestampType?: 'LogAppendTime' | 'CreateTime';
  readonly maxStateBytes?: number;
  /** Default: many. */
  readonly entriesMax?: number;
}

export const bears = (token: number): Readonly<Record<string, string>> => ({ 'flatline-token': String(token) });

/** Bare text is a value as it is; fields become JSON. */
export type LeaseValue = string | null | Readonly<Record<string, unknown>>;

export class LeaseLog extends KindLog<Said> {
  rules: LeaseRules;
  readonly #heldTime: HeldTimeRules;
  readonly #groupMax: number;
  readonly #timestampType: 'LogAppendTime' | 'CreateTime';
  readonly #state: StateLimits;
  readonly #headersSaid: (readonly RecordHeader[])[] = [];

  constructor({
    rules,
    heldTime = { unheardMs: 0, maxHoldMs: 1 },
    groupMax = 1,
    timestampType = 'LogAppendTime',
    maxStateBytes = Infinity,
    entriesMax = options().state.entriesMax,
  }: LeaseSettings = {}) {
    super();
    this.rules = { ...LEASE_RULES, ...rules };
    this.#heldTime = heldTime;
    this.#groupMax = groupMax;
    this.#timestampType = timestampType;
    this.#state = { ...options().state, stateBytesMax: maxStateBytes, entriesMax };
  }

  protected override newTask(): PartitionTask {
    const { rules } = this;
    const kind = leaseKind({ rules, decoder, encoder, tombstones: true, outputTopic: 'output' });
    const input = { ...options().input, timestampType: this.#timestampType };
    const [heldTime, state] = [this.#heldTime, this.#state];
    return new PartitionTask({ ...options({ partition: PARTITION, heldTime, input, state }), kind });
  }

  /** A tombstone is null. */
  protected override hear({ value, headers = [] }: Output): Said {
    this.#headersSaid.push(headers);
    return value === null ? null : (JSON.parse(text(value)) as Said);
  }

  protected override fold(input: readonly RawRecord[]): Folded<Said> {
    const logAppendTime = this.#timestampType === 'LogAppendTime';
    const { rules } = this;
    const { entriesMax, stateBytesMax } = this.#state;
    const room = { entriesMax, stateBytesMax };
    const folding: LeaseFoldOptions = { partition: PARTITION, rules, heldTime: this.#heldTime, logAppendTime, room };
    return foldLeases(input, folding);
  }

  get stampsAreTheProducers(): boolean {
    return this.#timestampType === 'CreateTime';
  }

  /** Appends a record; key null: one that tells the time. Returns its offset. */
  add(
    timestamp: number,
    key: string | null,
    value: LeaseValue = '',
    headers: Readonly<Record<string, string>> = {},
  ): number {
    const content = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    const sent = Object.entries(headers).map(([name, of]) => ({ name, value: bytes(of) }));
    const logAppendTime = this.#timestampType === 'LogAppendTime';
    return this.append({ timestamp, key, value: content, headers: sent, logAppendTime });
  }

  /** Takes what was added, and commits. `drains`: lets what is due of other keys take effect, too. */
  commit(drains = true): void {
    const { task } = this;
    const { count, cursor } = this.handOver(this.#groupMax);
    while (count > 0 && task.step(cursor, 1e6, WALL).kind === 'due') task.expire(100, WALL);
    if (drains) while (task.expire(100, WALL));
    this.settleCut();
  }

  /** Lists faults of the timers (LE1). */
  timerFaults(): readonly string[] {
    return timerFaults(this.task.timers()!);
  }

  /** Restores another task from the committed state; it goes on, with other rules if need be. */
  override restart(rules: Partial<LeaseRules> = {}): void {
    this.rules = { ...this.rules, ...rules };
    super.restart();
  }

  headersSaid(): readonly (readonly string[])[] {
    return this.#headersSaid.map((headers) =>
      headers.map(({ name, value }) => `${name}=${value === null ? '' : text(value)}`),
    );
  }
}

export const T = 1_000_000;
export const START = { type: 'STARTED' };
export const END = { type: 'ENDED' };

/** Type, reason, token, and as of when. */
export function brief(said: readonly Said[]): string[] {
  return said.map((each) => {
    if (each === null) return '-';
    const { type, reason, token, at } = each as Readonly<Record<string, string | number | undefined>>;
    return [type, reason, token, Number(at) - T].filter((part) => part !== undefined).join(' ');
  });
}

export type Row = readonly [after: number, value: LeaseValue, headers?: Readonly<Record<string, string>>];

/** Returns the log of a key with these records, up to `until`. */
export function history(settings: LeaseSettings, until: number, ...rows: readonly Row[]): LeaseLog {
  const log = new LeaseLog(settings);
  for (const [after, value, headers] of rows) log.add(T + after, 'k', value, headers);
  log.add(T + until, null);
  log.commit();
  return log;
}
