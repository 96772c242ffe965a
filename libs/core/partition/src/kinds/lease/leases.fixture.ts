// A log of requests for leases, a task that takes them, and what the oracle says of them.
import { foldLeases, type LeaseFoldOptions, type Said } from '@flatline/oracle';
import { type HeldTimeRules, leaseKind, type LeaseRules } from '@flatline/kinds';
import { blankLeaseRequest, type LeaseEventEncoder, type LeaseRequestDecoder } from '@flatline/ports/formats';
import type { RecordHeader } from '@flatline/ports';
import { timerFaults } from '../../entries/timer-inspection.ts';
import { PartitionTask } from '../../index.ts';
import { PARTITION, TaskLog, WALL } from '../../task-log.fixture.ts';
import { bytes, ListCursor, options, text } from '../../task.fixture.ts';

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
}

export const bears = (token: number): Readonly<Record<string, string>> => ({ 'flatline-token': String(token) });

/** Bare text is a value as it is; fields become JSON. */
export type LeaseValue = string | null | Readonly<Record<string, unknown>>;

export class LeaseLog {
  rules: LeaseRules;
  readonly #heldTime: HeldTimeRules;
  readonly #groupMax: number;
  readonly #timestampType: 'LogAppendTime' | 'CreateTime';
  readonly #maxStateBytes: number;
  readonly #said: { readonly key: string; readonly said: Said; readonly headers: readonly RecordHeader[] }[] = [];
  readonly #log: TaskLog;

  constructor({
    rules,
    heldTime = { unheardMs: 0, maxHoldMs: 1 },
    groupMax = 1,
    timestampType = 'LogAppendTime',
    maxStateBytes = Infinity,
  }: LeaseSettings = {}) {
    this.rules = { ...LEASE_RULES, ...rules };
    this.#heldTime = heldTime;
    this.#groupMax = groupMax;
    this.#timestampType = timestampType;
    this.#maxStateBytes = maxStateBytes;
    this.#log = new TaskLog(
      () => this.#newTask(),
      ({ key, value, headers = [] }) => {
        const said = value === null ? null : (JSON.parse(text(value)) as Said);
        this.#said.push({ key: text(key!), said, headers });
      },
    );
  }

  get task(): PartitionTask {
    return this.#log.task;
  }

  get refused(): readonly { readonly offset: number; readonly reason: string }[] {
    return this.#log.refused;
  }

  get blocks(): readonly Uint8Array[] {
    return this.#log.blocks;
  }

  #newTask(): PartitionTask {
    const { rules } = this;
    const kind = leaseKind({ rules, decoder, encoder, tombstones: true, outputTopic: 'output' });
    const input = { ...options().input, timestampType: this.#timestampType };
    const state = { ...options().state, stateBytesMax: this.#maxStateBytes };
    return new PartitionTask({ ...options({ partition: PARTITION, heldTime: this.#heldTime, input, state }), kind });
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
    return this.#log.append({ timestamp, key, value: content, headers: sent, logAppendTime });
  }

  /** Takes what was added, and commits. `drains`: lets what is due of other keys take effect, too. */
  commit(drains = true): void {
    const { task } = this;
    const fresh = this.#log.take();
    const cursor = new ListCursor(fresh, this.#groupMax);
    while (fresh.length > 0 && task.step(cursor, 1e6, WALL).kind === 'due') while (task.expire(100, WALL));
    if (drains) while (task.expire(100, WALL));
    this.#log.cut();
  }

  /** What is wrong with the timers (LE1). */
  timerFaults(): readonly string[] {
    return timerFaults(this.task.timers()!);
  }

  /** Another task restores what is committed, and goes on, with other rules if need be. */
  restart(rules: Partial<LeaseRules> = {}): void {
    this.rules = { ...this.rules, ...rules };
    this.#log.restart();
  }

  /** What was said of a key, in order; a tombstone is null. */
  said(key = 'k'): readonly Said[] {
    return this.#said.filter((each) => each.key === key).map(({ said }) => said);
  }

  headersSaid(): readonly (readonly string[])[] {
    return this.#said.map(({ headers }) =>
      headers.map(({ name, value }) => `${name}=${value === null ? '' : text(value)}`),
    );
  }

  all(): Readonly<Record<string, readonly Said[]>> {
    return Object.fromEntries(this.#said.map(({ key }) => [key, this.said(key)]));
  }

  /** The same by the rules, read a second time. */
  folded(): { readonly all: Readonly<Record<string, readonly Said[]>>; readonly refused: readonly number[] } {
    const logAppendTime = this.#timestampType === 'LogAppendTime';
    const { rules } = this;
    const folding: LeaseFoldOptions = { partition: PARTITION, rules, heldTime: this.#heldTime, logAppendTime };
    const { said, refused } = foldLeases(this.#log.raw(), folding);
    return { all: Object.fromEntries([...said].filter(([, each]) => each.length > 0)), refused };
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

/** What is said of a key with these records, and then `until`. */
export function history(settings: LeaseSettings, until: number, ...rows: readonly Row[]): LeaseLog {
  const log = new LeaseLog(settings);
  for (const [after, value, headers] of rows) log.add(T + after, 'k', value, headers);
  log.add(T + until, null);
  log.commit();
  return log;
}
