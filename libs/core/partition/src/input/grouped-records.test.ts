import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { type DecodeOutcome, ENDED, type EventDecoder, resetEvent, type SessionEvent } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask } from '../index.ts';
import { KEY_GROUP_MAX } from '@flatline/ports';
import { closedIn, begin, ListCursor, options, type TestRecord, text } from '../task.fixture.ts';

const WALL = 9e12;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const CONTEXT = { logId: 'log', owner: 'me', commitId: 'run-1', sequence: 0, previousCommitId: '', inputPartitions: 4 };
/** Values of the decoder below; sequences, event times and chosen timeouts are drawn. */
const EVENTS = ['s3', 's7', 's70', 'o999000', 't20', 't5', 'i1', 'i2', 'tENDED', 'tclick', 'bad', 'u1', 'u2'];

/** Texts of one letter and what it says; those of a schema, `u`, are known once they are prepared. */
class LetterDecoder implements EventDecoder {
  readonly #known = new Set<number>();

  decode(bytes: Uint8Array, start: number, length: number, target: SessionEvent): DecodeOutcome {
    resetEvent(target);
    const value = text(bytes.subarray(start, start + length));
    const rest = value.slice(1);
    const number = Number(rest);
    if (value.startsWith('b')) return { kind: 'bad', reason: 'invalid-json', detail: value };
    if (value.startsWith('u') && !this.#known.has(number)) return { kind: 'unknownSchema', schemaId: number };
    if (value.startsWith('s')) target.sequence = number;
    else if (value.startsWith('o')) target.occurredAt = number;
    else if (value.startsWith('i')) target.eventId = rest;
    else if (value === `t${ENDED}`) target.type = ENDED;
    else if (value.startsWith('t') && number > 0) target.timeoutMs = number;
    else target.type = rest;
    return { kind: 'event' };
  }

  prepare(schemaId: number): Promise<void> {
    this.#known.add(schemaId);
    return Promise.resolve();
  }
}

function records(seed: number): TestRecord[] {
  const random = seededRandom(seed);
  let timestamp = 1_000_000;
  return Array.from({ length: 600 }, (_, offset) => {
    if (random.chance(0.1)) timestamp += random.below(30);
    const value = random.chance(0.3) ? '' : random.chance(0.05) ? null : EVENTS[random.below(EVENTS.length)]!;
    return { offset, timestamp, key: random.chance(0.02) ? null : `key-${random.below(12)}`, value };
  });
}

/** All that the records come to: what is committed, closed and refused, and what was counted. */
async function outcomeOf(log: readonly TestRecord[], cursorOver: (left: TestRecord[]) => ListCursor): Promise<unknown> {
  const decoder = new LetterDecoder();
  const { rules } = options();
  const task = new PartitionTask(options({ decoder, tickMs: 1, rules: { ...rules, timeoutMs: 60, minTimeoutMs: 10 } }));
  begin(task, 0, START);
  let cursor = cursorOver([...log]);
  for (;;) {
    const outcome = task.step(cursor, 50, WALL);
    if (outcome.kind === 'exhausted') break;
    if (outcome.kind === 'unknownSchema') await decoder.prepare(outcome.schemaId);
    else if (task.input.position % 3 === 0 && task.input.position < log.length) {
      task.restartReading();
      cursor = cursorOver(log.slice(task.input.position));
    }
  }
  const cut = task.cut(CONTEXT);
  const { blocks, deadLetters, header } = cut;
  return {
    input: task.input,
    counters: task.counters,
    digest: header.digest,
    blocks: blocks.map(({ bytes }) => text(bytes)),
    closed: closedIn(cut).map((summary) => ({ ...summary, key: text(summary.key) })),
    deadLetters: deadLetters.map(({ offset, reason }) => [offset, reason]),
  };
}

describe('records read in groups', () => {
  test('[C5] come to what they come to one by one (rerun: SEED)', async () => {
    const first = Number(process.env['SEED'] ?? 1);
    for (let seed = first; seed < first + 15; seed += 1) {
      const log = records(seed);
      const singly = await outcomeOf(log, (left) => new ListCursor(left));
      for (const groupMax of [2, 7, KEY_GROUP_MAX]) {
        const grouped = await outcomeOf(log, (left) => new ListCursor(left, groupMax));
        expect({ seed, groupMax, ...(grouped as object) }).toEqual({ seed, groupMax, ...(singly as object) });
      }
    }
  });

  test('[I6] the one that cannot be applied is named, and refused by the next task, wherever it stands in its group', () => {
    for (const cursorOver of [
      (left: TestRecord[]) => new ListCursor(left),
      ...[2, 7, KEY_GROUP_MAX].map((max) => (left: TestRecord[]) => new ListCursor(left, max)),
    ])
      for (let bad = 0; bad < 20; bad += 1) {
        const log = Array.from({ length: 20 }, (_, at) => ({
          offset: 100 + at,
          timestamp: 5_000,
          key: `key-${at % 3}`,
          value: at === bad ? 'thrower' : '',
        }));
        const first = new PartitionTask(options({ decoder: throwing }));
        begin(first, 0, START);
        const failure = failureOf(() => first.step(cursorOver([...log]), 50, WALL));
        expect(failure).toMatchObject({ name: 'RecordFailed', offset: 100 + bad });
        const next = new PartitionTask(options({ decoder: throwing }));
        begin(next, 0, START);
        next.refuseAt(100 + bad, 'it failed');
        expect(next.step(cursorOver([...log]), 50, WALL).kind).toBe('exhausted');
        expect([next.counters['heartbeats'], next.counters.failedRecords]).toEqual([19, 1]);
        expect(next.cut(CONTEXT).deadLetters).toMatchObject([{ offset: 100 + bad, reason: 'processing-failed' }]);
      }
  });

  test('[I6] once the refused one is passed, those after it are taken in groups again', () => {
    const log = Array.from({ length: 3 * KEY_GROUP_MAX }, (_, at) => ({
      offset: 100 + at,
      timestamp: 5_000,
      key: `key-${at % 3}`,
      value: '',
    }));
    const skipped = (...refused: readonly number[]): number => {
      const task = new PartitionTask(options());
      begin(task, 0, START);
      for (const offset of refused) task.refuseAt(offset, 'it failed');
      const cursor = new ListCursor([...log], KEY_GROUP_MAX);
      let count = 0;
      const skip = cursor.skip.bind(cursor);
      cursor.skip = (more) => {
        count += more;
        skip(more);
      };
      expect(task.step(cursor, log.length + 1, WALL).kind).toBe('exhausted');
      expect(task.counters.failedRecords).toBe(refused.filter((offset) => offset >= 100).length);
      return count;
    };
    const undisturbed = skipped();
    expect(undisturbed).toBeGreaterThan(2 * KEY_GROUP_MAX);
    // One that is not there any more.
    expect(skipped(40)).toBe(undisturbed);
    expect(skipped(40, 105)).toBeGreaterThan(undisturbed - 10);
  });

  test('[I6][S3] what is due for its key takes effect before a record is refused, as before any other', () => {
    const task = new PartitionTask(options({ decoder: throwing }));
    begin(task, 0, START);
    task.refuseAt(2, 'it failed');
    const at = (offset: number, timestamp: number, value: string): TestRecord => ({
      offset,
      timestamp,
      key: 'k',
      value,
    });
    task.step(new ListCursor([at(1, 5_000, ''), at(2, 7_000, 'thrower')]), 10, WALL);
    expect(task.liveEntries).toBe(0);
    expect(closedIn(task.cut(CONTEXT))).toMatchObject([{ reason: 'TIMEOUT', closedAt: 6_000 }]);
  });

  test('[I6] the one that the cursor stands on is named where it fails before any is taken, after a group with gaps, too', () => {
    const log = [0, 1, 50, 60, 61, 200].map((offset) => ({
      offset,
      timestamp: 5_000,
      key: `key-${offset}`,
      value: '',
    }));
    for (const failing of [60, 61, 200]) {
      const task = new PartitionTask(options());
      begin(task, 0, START);
      const cursor = new ListCursor(log, 3);
      Object.defineProperty(cursor, 'timestamp', {
        get: () => {
          if (cursor.offset === failing) throw new TypeError('no timestamp');
          return 5_000;
        },
      });
      // So that the cursor stands on each of the second group.
      for (const refused of [60, 61]) task.refuseAt(refused, 'it failed');
      expect(failureOf(() => task.step(cursor, 50, WALL))).toMatchObject({ name: 'RecordFailed', offset: failing });
    }
  });

  test('[I6] what the cursor throws says nothing of a record', () => {
    const task = new PartitionTask(options());
    begin(task, 0, START);
    const cursor = new ListCursor([{ offset: 7, timestamp: 5_000, key: 'k', value: '' }]);
    task.step(cursor, 1, WALL);
    const broken = new TypeError('broken cursor');
    cursor.next = () => {
      throw broken;
    };
    expect(failureOf(() => task.step(cursor, 1, WALL))).toBe(broken);
  });
});

/** Hands on attributes that throw when they are kept. */
const throwing: EventDecoder = {
  prepare: () => Promise.resolve(),
  decode: (_bytes, _start, _length, target) => {
    resetEvent(target);
    target.attributes = new Map([['a', 'b']]);
    target.attributes[Symbol.iterator] = () => {
      throw new TypeError('not to be walked');
    };
    return { kind: 'event' };
  },
};

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
