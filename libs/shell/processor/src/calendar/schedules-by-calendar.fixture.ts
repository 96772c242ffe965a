// One partition of schedules that go by the product's own calendar, in a log whose clock a test moves by days.
import { type Calendar, ReusedMemory } from '@flatline/base';
import { scheduleKind, type ScheduleRules } from '@flatline/kinds/schedule';
import { type CommitHeader, NO_BATCH, PartitionTask, Restoration } from '@flatline/partition';
import { headerSection, type KeyGroup, type RecordCursor, type RecordHeader } from '@flatline/ports';
import { CronCalendar } from '@flatline/system';

const RULES: ScheduleRules = {
  maxHorizonMs: 3_153_600_000_000,
  minEveryMs: 1,
  missed: 'once',
  maxCatchUp: 1_000,
  catchUpWindowMs: 31_536_000_000,
  receipts: 'none',
  maxMessageBytes: 65_536,
  maxSchedulesPerKey: 64,
  targets: [],
  outputTopic: 'runs',
};
const ROOM = { entriesMax: 1e6, keyBytesMax: 2 ** 26, pageBytesMax: 2 ** 30, stateBytesMax: Infinity };
const BEFORE = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const WALL = 8e15;
const text = new TextDecoder();

export type Headers = Readonly<Record<string, string | number>>;

export interface CameOut {
  readonly key: string;
  readonly value: string;
  /** The clock when it came. */
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A run of one record. */
class OneRecord implements RecordCursor {
  readonly bytes: Uint8Array;
  readonly group: KeyGroup;
  readonly groupIndex = 0;
  readonly logAppendTime = true;
  readonly batchChecksum: number;
  readonly batchLeaderEpoch = 1;
  readonly keyStart = 0;
  readonly offset: number;
  readonly timestamp: number;
  readonly #headers: readonly RecordHeader[];
  #isRead = false;

  constructor(
    offset: number,
    timestamp: number,
    key: string | null,
    value: string | null,
    headers: readonly RecordHeader[],
  ) {
    this.offset = offset;
    this.timestamp = timestamp;
    this.batchChecksum = offset;
    this.#headers = headers;
    const content = Buffer.from(`${key ?? ''}${value ?? ''}`);
    this.bytes = Buffer.concat([content, headerSection(headers)]);
    const [keyBytes, valueBytes] = [key, value].map((each) => (each === null ? -1 : Buffer.byteLength(each)));
    const one = (number: number): Int32Array => Int32Array.of(number);
    this.group = {
      count: 1,
      starts: one(0),
      lengths: one(keyBytes!),
      valueStarts: one(Math.max(0, keyBytes!)),
      valueLengths: one(valueBytes!),
      headersStarts: one(content.length),
      headersEnds: one(this.bytes.length),
      offsetDeltas: one(0),
    };
  }

  next(): boolean {
    const isFirst = !this.#isRead;
    this.#isRead = true;
    return isFirst;
  }
  skip(): void {
    throw new Error('there is one');
  }
  get keyLength(): number {
    return this.group.lengths[0]!;
  }
  get valueStart(): number {
    return this.group.valueStarts[0]!;
  }
  get valueLength(): number {
    return this.group.valueLengths[0]!;
  }
  get hasHeaders(): boolean {
    return this.#headers.length > 0;
  }
  headers(): readonly RecordHeader[] {
    return this.#headers;
  }
  headersOf(): readonly RecordHeader[] {
    return this.#headers;
  }
  get position(): number {
    return this.offset + (this.#isRead ? 1 : 0);
  }
  get batchTimestamp(): number {
    return this.timestamp;
  }
}

export class CalendarLog {
  readonly cameOut: CameOut[] = [];
  readonly refused: string[] = [];
  /** Bytes of all blocks. */
  logBytes = 0;
  readonly #rules: ScheduleRules;
  readonly #blocks: Uint8Array[] = [];
  #last: CommitHeader | undefined;
  #offset = 0;
  #lacked: string | undefined;
  task: PartitionTask;

  constructor(rules: Partial<ScheduleRules> = {}) {
    this.#rules = { ...RULES, ...rules };
    this.task = this.#newTask();
    this.task.resume(0, BEFORE);
    this.task.arm(Infinity);
  }

  /** Appends a record at that instant, takes it and all that is due by then, and commits. */
  say(at: string | number, key: string, headers: Headers, value: string | null = 'v'): void {
    const sent = Object.entries(headers).map(([name, of]) => ({
      name: `flatline-${name}`,
      value: Buffer.from(String(of)),
    }));
    this.#take(instantOf(at), key, value, sent);
  }

  /** The processors that are started from now on lack that time zone. */
  lacks(timeZone: string | undefined): void {
    this.#lacked = timeZone;
  }

  /** Tells the time. */
  tick(at: string | number): void {
    this.#take(instantOf(at), null, '', [{ name: 'flatline-clock', value: null }]);
  }

  /** Tells the time each so often, up to and with the end. */
  pass(from: string | number, until: string | number, stepMs: number): void {
    for (let at = instantOf(from); at <= instantOf(until); at += stepMs) this.tick(at);
  }

  /** The processor dies; another restores what it has committed. */
  restart(): void {
    const task = this.#newTask();
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    this.#blocks.forEach((block, offset) => {
      restoration.take(block.slice(), offset);
      while (restoration.applyNext() > 0);
    });
    const why = restoration.finish();
    if (why !== undefined) throw new Error(why);
    const { clock, inputs } = restoration.last!;
    task.resume(clock, inputs[0]!);
    task.arm(Infinity);
    this.task = task;
  }

  /** Local times at which the runs of a key were due. */
  dueIn(zone: string, key: string): string[] {
    const shown = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
    return this.cameOut.flatMap((each) =>
      each.key === key ? [shown.format(new Date(Number(each.headers['flatline-due-at'])))] : [],
    );
  }

  #calendar(): Calendar {
    const [calendar, lacked] = [new CronCalendar('2026z'), this.#lacked];
    return {
      version: calendar.version,
      fault: (cron, timeZone) => calendar.fault(cron, timeZone === lacked ? 'Europe/Atlantis' : timeZone),
      next: (cron, timeZone, after) => calendar.next(cron, timeZone === lacked ? 'Europe/Atlantis' : timeZone, after),
    };
  }

  #newTask(): PartitionTask {
    return new PartitionTask({
      partition: 0,
      kind: scheduleKind({ rules: this.#rules, calendar: this.#calendar() }),
      input: {
        timestampType: 'LogAppendTime',
        maxKeyBytes: 512,
        maxFutureMs: 1e15,
        maxLeadMs: 60_000,
        liveWithinMs: 1,
      },
      changelog: { blockBytesMax: 65_536, changelogFactor: 4, unsweptLogBytes: 1e9 },
      tickMs: 10,
      hashSeed: 1,
      blockMemory: new ReusedMemory(0),
      pendingChangesMax: 1e6,
      outputBytesMax: () => 1e9,
      owedBytesMax: 1e6,
      deadLetters: { waitingBytesMax: () => 1e6, letterBytesMax: 1e6 },
      state: ROOM,
      takenRowBytesMax: () => 0,
    });
  }

  #take(timestamp: number, key: string | null, value: string | null, headers: readonly RecordHeader[]): void {
    const { task } = this;
    const cursor = new OneRecord(this.#offset, timestamp, key, value, headers);
    this.#offset += 1;
    while (task.step(cursor, 1, WALL).kind !== 'exhausted') while (task.expire(1_000, WALL));
    while (task.expire(1_000, WALL));
    this.#commit(timestamp);
  }

  #commit(at: number): void {
    const sequence = (this.#last?.sequence ?? -1) + 1;
    const ids = { sequence, commitId: `c${sequence}`, previousCommitId: this.#last?.commitId ?? '' };
    const cut = this.task.cut({ logId: 'log', owner: 'me', inputPartitions: 1, ...ids });
    for (const { key, value, headers = [] } of cut.outputs)
      this.cameOut.push({
        key: text.decode(key),
        value: text.decode(value),
        at,
        headers: Object.fromEntries(headers.map((each) => [each.name, text.decode(each.value ?? undefined)])),
      });
    this.refused.push(...cut.deadLetters.map(({ reason }) => reason));
    const first = this.#blocks.length;
    for (const { bytes } of cut.blocks) {
      this.#blocks.push(bytes.slice());
      this.logBytes += bytes.length;
    }
    this.task.settle(
      cut,
      cut.blocks.map((_, i) => first + i),
    );
    this.#last = { ...cut.header, part: 0, parts: 1 };
  }
}

function instantOf(at: string | number): number {
  return typeof at === 'number' ? at : Date.parse(at);
}
