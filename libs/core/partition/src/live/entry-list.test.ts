import { describe, expect, test } from '@jest/globals';
import { NO_BATCH, PartitionTask } from '../index.ts';
import { begin, bytes, ListCursor, options, text } from '../task.fixture.ts';

const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const ALL = { prefix: bytes(''), fromSlot: 0, slotsMax: 100, entriesMax: 100, bytesMax: 1e6 };

function taskOf(...keys: readonly string[]): PartitionTask {
  const task = new PartitionTask(options());
  begin(task, 0, START);
  const records = keys.map((key, offset) => ({
    offset,
    timestamp: 5_000,
    key,
    value: key.startsWith('-') ? null : '',
  }));
  task.step(new ListCursor(records.map((each) => ({ ...each, key: each.key.replace('-', '') }))), 1e6, 9e12);
  return task;
}

/** Keys page after page, a page a text. */
function pages(
  task: PartitionTask,
  asked: Partial<typeof ALL>,
  isWanted: (key: string) => boolean = () => true,
): string[] {
  const found: string[] = [];
  for (let fromSlot: number | undefined = 0; fromSlot !== undefined;) {
    const page: string[] = [];
    const listed = task.list({ ...ALL, ...asked, fromSlot }, (key) => isWanted(text(key)) && page.push(text(key)) > 0);
    found.push(page.join(' '));
    fromSlot = listed?.nextSlot;
  }
  return found;
}

describe('a list of entries', () => {
  const task = taskOf('a1', 'b1', 'a2', 'gone', 'a3', 'b2', '-gone');

  test('[Q1] has those that live and begin so, and is limited in entries, slots and bytes', () => {
    expect(pages(task, {})).toEqual(['a1 b1 a2 a3 b2']);
    expect(pages(task, { prefix: bytes('a') })).toEqual(['a1 a2 a3']);
    expect(pages(task, { prefix: bytes('a33') })).toEqual(['']);
    expect(pages(task, { entriesMax: 2 })).toEqual(['a1 b1', 'a2 a3', 'b2']);
    expect(pages(task, { slotsMax: 4 })).toEqual(['a1 b1 a2', 'a3 b2']);
    expect(pages(task, { bytesMax: 1 })).toEqual(['a1', 'b1', 'a2', 'a3', 'b2']);
  });

  test('[Q1] what is not wanted counts for no limit', () => {
    expect(pages(task, { entriesMax: 1 }, (key) => key.endsWith('2'))).toEqual(['a2', 'b2']);
  });
});
