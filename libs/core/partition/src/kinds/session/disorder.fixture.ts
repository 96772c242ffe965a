// A log of events that come in no order, and a task that takes them.
import { sessionKind, type SessionRules } from '@flatline/kinds/session';
import { bareJson } from '@flatline/base';
import { inputRecord, jsonEvent, type RawRecord } from '@flatline/oracle';
import { foldInput } from '@flatline/oracle/session';
import { blankEvent, type EventDecoder, type SummaryEncoder } from '@flatline/ports/formats';
import { PartitionTask } from '../../index.ts';
import { bytes, options, text } from '../../task.fixture.ts';
import { rulesOf } from '../reducer-rules.fixture.ts';
import { type Folded, KindLog, type Output, PARTITION, WALL } from '../kind-log.fixture.ts';

/** A record about a session: a summary, or a tombstone. */
export type Summary = Readonly<Record<string, unknown>>;

/** The codecs are the shell's: as much of one as these tests send. */
const decoder: EventDecoder = {
  decode: (all, start, length, target) => {
    const value = text(all.subarray(start, start + length));
    if (!value.startsWith('{')) return { kind: 'bad', reason: 'invalid-json', detail: value };
    const { attributes, ...said } = JSON.parse(value) as Record<string, object>;
    Object.assign(target, blankEvent(), said);
    target.attributes = attributes && new Map(Object.entries(attributes));
    return { kind: 'event' };
  },
  fields: (all, start, length) =>
    bareJson(text(all.subarray(start, start + length))) as Readonly<Record<string, unknown>>,
  prepare: () => Promise.resolve(),
};

const encoder: SummaryEncoder = {
  encode: ({ key, attributes, countsByType, reduced, ...summary }) => {
    const maps = { attributes: Object.fromEntries(attributes), countsByType: Object.fromEntries(countsByType) };
    const result = reduced === undefined ? {} : { reduced: reduced && (JSON.parse(reduced.json) as unknown) };
    return bytes(JSON.stringify({ sessionId: text(key), ...summary, ...maps, ...result }));
  },
};

function tombstoneOf(incarnation: string): Summary {
  return { tombstone: incarnation };
}

export interface DisorderSettings {
  readonly rules?: Partial<SessionRules>;
  readonly maxStateBytes?: number;
  readonly pageBytesMax?: number;
  readonly groupMax?: number;
  /** Bytes of outputs that a commit holds. */
  readonly outputBytesMax?: number;
  /** Default: there are none. */
  readonly tombstones?: boolean;
}

export class DisorderLog extends KindLog<Summary> {
  rules: SessionRules;
  readonly #limits: { readonly stateBytesMax: number; readonly pageBytesMax: number };
  readonly #groupMax: number;
  readonly #tombstones: boolean;
  readonly #outputBytesMax: number | undefined;

  constructor(settings: DisorderSettings = {}) {
    super();
    const { rules, maxStateBytes = Infinity, groupMax = 3, tombstones = false } = settings;
    const { pageBytesMax = options().state.pageBytesMax } = settings;
    this.rules = { ...options().rules, timeoutMs: 100, graceMs: 1_000, ...rules };
    this.#limits = { stateBytesMax: maxStateBytes, pageBytesMax };
    this.#groupMax = groupMax;
    this.#tombstones = tombstones;
    this.#outputBytesMax = settings.outputBytesMax;
  }

  protected override newTask(): PartitionTask {
    const { rules } = this;
    const kind = sessionKind({ rules, decoder, encoder, tombstones: this.#tombstones, outputTopic: 'output' });
    const input = { ...options().input, timestampType: 'CreateTime' as const };
    const state = { ...options().state, ...this.#limits };
    const settings = rules.reducer && JSON.stringify({ reducer: rules.reducer });
    const changelog = { ...options().changelog, ...(settings !== undefined && { settings }) };
    const { outputBytesMax } = options();
    const room = { outputBytesMax: () => this.#outputBytesMax ?? outputBytesMax() };
    return new PartitionTask({ ...options({ partition: PARTITION, rules, input, state, changelog, ...room }), kind });
  }

  protected override hear({ value, headers }: Output): Summary {
    if (value !== null) return JSON.parse(text(value)) as Summary;
    return tombstoneOf(text(headers!.find(({ name }) => name === 'flatline-incarnation')!.value!));
  }

  protected override fold(input: readonly RawRecord[]): Folded<Summary> {
    const { maxKeyBytes } = options().input;
    const common = { timestampType: 'CreateTime', maxKeyBytes, unheardMs: 0, maxHoldMs: 0 } as const;
    const limits = { ...this.#limits, tombstones: this.#tombstones };
    const { reducer, ...own } = this.rules;
    const reduces = reducer && { reducer: rulesOf(reducer) };
    const rules = { kind: 'session', ...own, ...reduces, ...common, ...limits } as const;
    const records = input.map((record) => inputRecord(record, jsonEvent));
    const { said: words, refused } = foldInput(records, { partition: PARTITION, rules });
    const said = new Map<string, Summary[]>();
    for (const { summary, isFinal } of words) {
      const key = String(summary['sessionId']);
      const value = summary['state'] === 'FINAL' ? [] : [summary];
      const tombstone = isFinal && this.#tombstones ? [tombstoneOf(summary.incarnation)] : [];
      said.set(key, [...(said.get(key) ?? []), ...value, ...tombstone]);
    }
    return { said, refused };
  }

  /** Appends a record at that time; bare text is a value as it is, key null: one that tells the time. Returns its offset. */
  add(
    timestamp: number,
    key: string | null = 'k',
    value: string | null | Readonly<Record<string, unknown>> = '',
  ): number {
    const written = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    return this.append({ timestamp, key, value: written, logAppendTime: false });
  }

  /** Takes all there is, and lets all that is due take effect. */
  take(): void {
    const { count, cursor } = this.handOver(this.#groupMax);
    const { task } = this;
    for (let left = count; left > 0;) {
      const outcome = task.step(cursor, 1, WALL);
      if (outcome.kind === 'due') while (task.expire(1_000, WALL));
      else if (outcome.kind === 'limit') left -= 1;
      else throw new Error(`a step ends with ${outcome.kind}`);
    }
    while (task.expire(1_000, WALL));
  }

  commit(): void {
    this.take();
    this.settleCut();
  }
}
