// A log of requests for leases, a task that takes them, and what the oracle says of them.
import { foldLeases, type LeaseFoldOptions, type Said } from '@flatline/oracle';
import { type HeldTimeRules, leaseKind, type LeaseRules } from '@flatline/kinds';
import { blankLeaseRequest, type LeaseEventEncoder, type LeaseRequestDecoder } from '@flatline/ports/formats';
import type { RecordHeader } from '@flatline/ports';
import { timerFaults } from './entries/timer-inspection.ts';
import { NO_BATCH, PartitionTask, Restoration } from './index.ts';
import { applyBlock, begin, bytes, ListCursor, options, type TestRecord, text } from './task.fixture.ts';

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
const WALL = 9e12;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const PARTITION = 3;

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
}

export const bears = (token: number): Readonly<Record<string, string>> => ({ 'flatline-token': String(token) });

/** Bare text is a value as it is; fields become JSON. */
export type LeaseValue = string | null | Readonly<Record<string, unknown>>;

export class LeaseLog {
  readonly rules: LeaseRules;
  readonly #heldTime: HeldTimeRules;
  readonly #groupMax: number;
  readonly #timestampType: 'LogAppendTime' | 'CreateTime';
  readonly #records: TestRecord[] = [];
  readonly #said: { readonly key: string; readonly said: Said; readonly headers: readonly RecordHeader[] }[] = [];
  readonly refused: { readonly offset: number; readonly reason: string }[] = [];
  readonly blocks: Uint8Array[] = [];
  #taken = 0;
  #sequence = 0;
  task: PartitionTask;

  constructor({
    rules,
    heldTime = { unheardMs: 0, maxHoldMs: 1 },
    groupMax = 1,
    timestampType = 'LogAppendTime',
  }: LeaseSettings = {}) {
    this.rules = { ...LEASE_RULES, ...rules };
    this.#heldTime = heldTime;
    this.#groupMax = groupMax;
    this.#timestampType = timestampType;
    this.task = this.#newTask();
    begin(this.task, 0, START);
  }

  #newTask(): PartitionTask {
    const { rules } = this;
    const kind = leaseKind({ rules, decoder, encoder, tombstones: true, outputTopic: 'output' });
    const input = { ...options().input, timestampType: this.#timestampType };
    return new PartitionTask({ ...options({ partition: PARTITION, heldTime: this.#heldTime, input }), kind });
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
    const offset = this.#records.length;
    const content = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    const sent = Object.entries(headers).map(([name, of]) => ({ name, value: bytes(of) }));
    const clock = key === null ? [{ name: 'flatline-clock', value: null }] : [];
    const logAppendTime = this.#timestampType === 'LogAppendTime';
    this.#records.push({ offset, timestamp, key, value: content, headers: [...sent, ...clock], logAppendTime });
    return offset;
  }

  /** Takes what was added, and commits. `drains`: lets what is due of other keys take effect, too. */
  commit(drains = true): void {
    const { task } = this;
    const fresh = this.#records.slice(this.#taken);
    this.#taken = this.#records.length;
    if (fresh.length > 0) task.step(new ListCursor(fresh, this.#groupMax), 1e6, WALL);
    if (drains) while (task.expire(100, WALL));
    const sequence = this.#sequence;
    const names = { logId: 'log', owner: 'me', inputPartitions: 4, sequence, commitId: `run-${sequence}` };
    const cut = task.cut({ ...names, previousCommitId: sequence === 0 ? '' : `run-${sequence - 1}` });
    this.#sequence += 1;
    for (const { key, value, headers = [] } of cut.outputs) {
      const said = value === null ? null : (JSON.parse(text(value)) as Said);
      this.#said.push({ key: text(key!), said, headers });
    }
    this.refused.push(...cut.deadLetters.map(({ offset, reason }) => ({ offset, reason })));
    for (const block of cut.blocks) this.blocks.push(block.bytes.slice());
    const first = this.blocks.length - cut.blocks.length;
    task.settle(
      cut,
      cut.blocks.map((_, i) => first + i),
    );
  }

  /** What is wrong with the timers (LE1). */
  timerFaults(): readonly string[] {
    return timerFaults(this.task.timers()!);
  }

  /** Another task restores what is committed, and goes on. */
  restart(): void {
    const task = this.#newTask();
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    this.blocks.forEach((block, offset) => applyBlock(restoration, block, offset));
    const why = restoration.finish();
    if (why !== undefined) throw new Error(why);
    const last = restoration.last!;
    begin(task, last.clock, last.inputs[0]!, last);
    this.task = task;
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
    const raw = this.#records.map(({ key, value, headers = [], ...record }) => ({
      ...record,
      headers,
      logAppendTime,
      key: key === null ? null : bytes(key),
      value: value === null ? null : bytes(value),
    }));
    const { rules } = this;
    const folding: LeaseFoldOptions = { partition: PARTITION, rules, heldTime: this.#heldTime, logAppendTime };
    const { said, refused } = foldLeases(raw, folding);
    return { all: Object.fromEntries([...said].filter(([, each]) => each.length > 0)), refused };
  }
}
