import { describe, expect, test } from '@jest/globals';
import { ReusedMemory } from '@flatline/base';
import type { KindOutput, LaterRecords } from '@flatline/kinds';
import { debounceSaid } from '@flatline/kinds/debounce';
import { routingOf } from '@flatline/kinds/routing';
import { OutputBox } from './output-box.ts';

const utf8 = new TextEncoder();
const BATCH: KindOutput = {
  key: utf8.encode('k'),
  value: utf8.encode(JSON.stringify({ reason: 'QUIET', items: 'x'.repeat(10_000) })),
};

/** As a large window goes out. */
class Later implements LaterRecords {
  readonly bytes = 10_100;
  isOver = false;

  next(): KindOutput {
    this.isOver = true;
    return BATCH;
  }
}

describe('records that are encoded later', () => {
  test('OB3 [P3] count with what their routes may take along, before it is made', () => {
    const routing = routingOf(debounceSaid, [{ to: 't' }, { to: 'u' }], () => 1);
    const box = new OutputBox(new ReusedMemory(0), {
      routing,
      onRouted: () => undefined,
      onUnroutable: () => undefined,
    });
    box.addLater(new Later());
    const counted = box.bytes;
    expect(box.inspect()).toEqual([]);
    box.encode(Infinity);
    expect(box.inspect()).toEqual([]);
    expect(box.bytes).toBeGreaterThan(30_000);
    expect(box.bytes).toBeLessThan(counted * 1.02);
    expect(box.takeAll().outputs).toHaveLength(3);
    expect(box.bytes).toBe(0);
  });
});
