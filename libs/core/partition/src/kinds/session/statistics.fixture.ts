// A log of sessions, and a task that counts them.
import { CHANGELOG_FORMAT } from '@flatline/base';
import { DurationSketch, sessionKind, type SessionRules } from '@flatline/kinds/session';
import { inputRecord, jsonEvent, type RawRecord } from '@flatline/oracle';
import { foldInput } from '@flatline/oracle/session';
import { blankEvent, type EventDecoder } from '@flatline/ports/formats';
import { PartitionTask } from '../../index.ts';
import { bytes, options, text } from '../../task.fixture.ts';
import { type Folded, KindLog, type Output, PARTITION, WALL } from '../kind-log.fixture.ts';

export const STATS_TOPIC = 'output.stats';
export const MINUTE = 60_000;

/** A record of the statistics, the sketch in hex. */
export type Said = Readonly<Record<string, unknown>>;

const decoder: EventDecoder = {
  decode: (all, start, length, target) => {
    const { attributes, ...said } = JSON.parse(text(all.subarray(start, start + length))) as Record<string, object>;
    Object.assign(target, blankEvent(), said);
    target.attributes = attributes && new Map(Object.entries(attributes));
    return { kind: 'event' };
  },
  prepare: () => Promise.resolve(),
};

export const statsVoice = {
  topic: STATS_TOPIC,
  encoder: { encode: (said: object) => bytes(JSON.stringify(written({ ...said }))) },
};

export function written({ dimensions, byReason, duration, ...said }: { readonly [name: string]: unknown }): Said {
  const { sketch, min = null, max = null, ...counts } = duration as { sketch: Uint8Array; min?: number; max?: number };
  const plain = (map: unknown): object =>
    map instanceof Map ? Object.fromEntries(map as ReadonlyMap<string, unknown>) : (map as object);
  const figures = { ...counts, min, max, sketch: Buffer.from(sketch).toString('hex') };
  return { ...said, dimensions: plain(dimensions), byReason: plain(byReason), duration: figures };
}

function packedOf(said: Said): Said {
  const duration = said['duration'] as { readonly sketch: string };
  const sketch = DurationSketch.decode(Buffer.from(duration.sketch, 'hex')).encode();
  return { ...said, duration: { ...duration, sketch: Buffer.from(sketch).toString('hex') } };
}

export class StatisticsLog extends KindLog<Said> {
  rules: SessionRules;
  /** The version that is pinned from the next start on (K9); undefined: none is. */
  changelogFormat: number | undefined;
  /** Each start pins the version before, or none, where the one before did otherwise. */
  pinsInTurns = false;
  readonly #groupMax: number;
  readonly #timestampType: 'LogAppendTime' | 'CreateTime';

  constructor(
    rules: Partial<SessionRules>,
    groupMax = 3,
    timestampType: 'LogAppendTime' | 'CreateTime' = 'LogAppendTime',
  ) {
    super();
    this.#timestampType = timestampType;
    this.rules = { ...options().rules, timeoutMs: 20_000, ...rules };
    this.#groupMax = groupMax;
  }

  protected override newTask(): PartitionTask {
    const { rules } = this;
    const encoder = { encode: () => bytes('{}') };
    const kind = sessionKind({ rules, decoder, encoder, stats: statsVoice, tombstones: false, outputTopic: 'output' });
    const input = { ...options().input, timestampType: this.#timestampType };
    const changelog = { ...options().changelog, format: this.changelogFormat };
    return new PartitionTask({ ...options({ partition: PARTITION, rules, input, changelog }), kind });
  }

  protected override hear({ topic, value }: Output): Said {
    return topic === STATS_TOPIC ? (JSON.parse(text(value!)) as Said) : {};
  }

  protected override fold(input: readonly RawRecord[]): Folded<Said> {
    const { maxKeyBytes } = options().input;
    const common = { timestampType: this.#timestampType, maxKeyBytes, unheardMs: 0, maxHoldMs: 0 } as const;
    const records = input.map((record) => inputRecord(record, jsonEvent));
    const { stats, refused } = foldInput(records, {
      partition: PARTITION,
      rules: { kind: 'session', ...this.rules, ...common },
    });
    return { said: new Map(stats.map(({ key, fields }) => [key, [written(fields)]])), refused };
  }

  /** Records of the topic of statistics, by key. */
  windows(): Readonly<Record<string, readonly Said[]>> {
    return Object.fromEntries(Object.entries(this.all()).filter(([key]) => key.startsWith('[')));
  }

  override restart(): void {
    if (this.pinsInTurns) this.changelogFormat = this.changelogFormat === undefined ? CHANGELOG_FORMAT - 1 : undefined;
    super.restart();
  }

  /** The same, each sketch in the form of the newest version, whatever version said it. */
  packedWindows(): ReturnType<StatisticsLog['windows']> {
    const packed = Object.entries(this.windows()).map(([key, said]) => [key, said.map(packedOf)] as const);
    return Object.fromEntries(packed);
  }

  /** Appends a record at that time; key null: one that tells the time. */
  add(timestamp: number, key: string | null, value: string | null | Readonly<Record<string, unknown>> = ''): number {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    return this.append({ timestamp, key, value: text, logAppendTime: this.#timestampType === 'LogAppendTime' });
  }

  /** Takes all there is; of what is due in the last window, only what must have taken effect before a record, where `isLazy`. */
  take(isLazy = false): void {
    const { count, cursor } = this.handOver(this.#groupMax);
    const { task } = this;
    for (let left = count; left > 0;) {
      const outcome = task.step(cursor, 1, WALL);
      if (outcome.kind === 'due') while (task.expire(7, WALL));
      else if (outcome.kind === 'limit') left -= 1;
      else throw new Error(`a step ends with ${outcome.kind}`);
    }
    if (!isLazy) while (task.expire(1_000, WALL));
  }

  commit(isLazy = false): void {
    this.take(isLazy);
    this.settleCut();
  }
}
