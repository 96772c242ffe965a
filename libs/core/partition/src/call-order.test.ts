// The order in which a kind calls the engine (LE3).
import { describe, expect, test } from '@jest/globals';
import type { Effects, PipelineKind } from '@flatline/kinds';
import { NO_BATCH, PartitionTask } from './index.ts';
import { begin, ListCursor, options, type TestRecord } from './task.fixture.ts';

const WALL = 9e12;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const beat = (offset: number, key: string): TestRecord => ({ offset, timestamp: 1_000 + offset, key, value: '' });

/** Calls that a kind makes for each entry, in place of those of sessions. */
type Words = (effects: Effects) => void;

/** Sessions that make these calls where sessions say that an entry is opened, and that it has changed. */
function speaking(words: { readonly opened?: Words; readonly changed?: Words }): PartitionTask {
  const { kind, ...others } = options();
  const opened: Words =
    words.opened ??
    ((effects) => {
      effects.opened();
    });
  const changed: Words =
    words.changed ??
    ((effects) => {
      effects.changed();
    });
  const spoken: PipelineKind = {
    ...kind,
    open: (parts) => {
      const inner = kind.open(parts);
      return {
        dueAt: () => inner.dueAt(),
        due: (at, effects) => {
          inner.due(at, effects);
        },
        take: (run, effects) => {
          const other = Object.create(effects, {
            clock: { get: () => effects.clock },
            find: { value: (index: number) => effects.find(index) },
            open: { value: (index: number, bytes?: number) => effects.open(index, bytes) },
            hasRoom: { value: (bytes: number) => effects.hasRoom(bytes) },
            opened: {
              value: () => {
                opened(effects);
              },
            },
            changed: {
              value: () => {
                changed(effects);
              },
            },
          }) as Effects;
          return inner.take(run, other);
        },
      };
    },
  };
  const task = new PartitionTask({ ...others, kind: spoken });
  begin(task, 0, START);
  return task;
}

const beats = (task: PartitionTask, ...keys: readonly string[]): unknown =>
  task.step(new ListCursor(keys.map((key, offset) => beat(offset, key))), 100, WALL);

describe('what a kind says of an entry', () => {
  test('may be all there is, in this order: more of it has changed, it is longer, it owes, it has changed', () => {
    const task = speaking({
      changed: (effects) => {
        effects.reshaped();
        effects.resized();
        effects.changed();
        effects.dueSooner();
      },
    });
    expect(beats(task, 'a', 'b', 'a')).toEqual({ kind: 'exhausted' });
    expect(task.inspect()).toEqual([]);
  });

  test.each<[string, Parameters<typeof speaking>[0], RegExp]>([
    ['nothing of a change', { changed: () => undefined }, /LE3: a kind says/],
    ['nothing of what it has opened', { opened: () => undefined }, /LE3: a kind says/],
    [
      'twice that it has opened it',
      {
        opened: (effects) => {
          effects.opened();
          effects.opened();
        },
      },
      /LE3: an entry is opened once/,
    ],
    [
      'after the change that it is opened',
      {
        opened: () => undefined,
        changed: (effects) => {
          effects.changed();
          effects.opened();
        },
      },
      /LE3: a kind says/,
    ],
    [
      'its end before it is opened',
      {
        opened: (effects) => {
          effects.end(1_000);
        },
        changed: () => undefined,
      },
      /LE3: a kind says/,
    ],
    [
      'after the change that a part has ended',
      {
        changed: (effects) => {
          effects.changed();
          effects.closed(1_000);
        },
      },
      /LE3: a kind says/,
    ],
    [
      'a question for room in the midst of a change',
      {
        changed: (effects) => {
          effects.resized();
          effects.hasRoom(1);
          effects.changed();
        },
      },
      /LE3: room is asked for/,
    ],
    [
      'after the change that it is longer',
      {
        changed: (effects) => {
          effects.changed();
          effects.resized();
        },
      },
      /LE3: a kind says/,
    ],
    [
      'after the change that it owes',
      {
        changed: (effects) => {
          effects.changed();
          effects.owes();
        },
      },
      /LE3: a kind says/,
    ],
    [
      'after the change that more has',
      {
        changed: (effects) => {
          effects.changed();
          effects.reshaped();
        },
      },
      /LE3: a kind says/,
    ],
  ])('is not %s: its record fails', (_what, words, message) => {
    expect(() => beats(speaking(words), 'a')).toThrow(message);
  });
});
