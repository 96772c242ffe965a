import { describe, expect, test } from '@jest/globals';
import { cursorText, readCursor } from './cursor.ts';

const TOPIC = { topicId: '0123456789abcdef0123456789abcdef', partitions: 3 };

describe('cursors', () => {
  test('[Q3] say of each partition where a subscriber is, at the edges of what an offset can be', () => {
    const vector = new Map([
      [0, 0],
      [1, Number.MAX_SAFE_INTEGER],
      [2, 35],
    ]);
    const all = cursorText(TOPIC, vector);
    expect(all).toBe('01234567.3.all.0-2gosa7pa2gv-z');
    expect(readCursor(all, TOPIC)).toEqual({ kind: 'cursor', vector });
    const one = cursorText(TOPIC, vector, 1);
    expect(readCursor(one, TOPIC, 1)).toEqual({ kind: 'cursor', vector: new Map([[1, Number.MAX_SAFE_INTEGER]]) });
  });

  test.each(['', '7', '01234567.3.all.0-1', '01234567.3.1.5', '01234567.3.all.0-1-zzzzzzzzzzz', 'x'.repeat(100)])(
    '[Q3] what is none of this subscription is none: %s',
    (text) => {
      expect(readCursor(text, TOPIC).kind).toBe('none');
    },
  );

  test('[Q3] a topic that was deleted and made again, or has grown, is another', () => {
    const text = cursorText(TOPIC, new Map());
    expect(readCursor(text, { ...TOPIC, topicId: `f${TOPIC.topicId.slice(1)}` }).kind).toBe('foreign');
    expect(readCursor(text, { ...TOPIC, partitions: 4 }).kind).toBe('foreign');
  });
});
