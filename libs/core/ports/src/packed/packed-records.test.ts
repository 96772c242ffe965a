import { describe, expect, test } from '@jest/globals';
import { ReusedMemory } from '@flatline/base';
import fc from 'fast-check';
import type { UntimedRecord } from '../transaction.ts';
import type { PackedRecord, RecordRange } from './packed-records.ts';
import { PackedWrite } from './packed-write.ts';
import { RecordPacker, START } from './record-packer.ts';
import { headerFrame, nameFrame } from './record-sink.ts';

const utf8 = new TextEncoder();
const nullable = (maxLength: number): fc.Arbitrary<Uint8Array | null> =>
  fc.option(
    fc.nat(maxLength).map((length) => new Uint8Array(length).map((_, at) => at * 7 + length)),
    { nil: null },
  );
const outgoing: fc.Arbitrary<UntimedRecord> = fc.record({
  key: nullable(200),
  value: fc.oneof(nullable(100), nullable(40_000)),
  headers: fc.array(fc.record({ name: fc.string({ unit: 'grapheme', maxLength: 30 }), value: nullable(50) }), {
    minLength: 1,
    maxLength: 3,
  }),
});
const placed = fc.record({ record: outgoing, place: fc.integer({ min: 0, max: 3 }) });

const textOf = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('base64');

const shown = ({ key, value, headers = [], ...place }: UntimedRecord | PackedRecord): object => ({
  ...place,
  parts: [textOf(key), textOf(value), ...headers.flatMap((header) => [header.name, textOf(header.value)])],
});

/** Counts what it hands out, and writes over what comes back. */
class Counted extends ReusedMemory {
  taken = 0;
  readonly sizes = new Set<number>();

  constructor() {
    super(0);
  }

  override take(length: number): Uint8Array<ArrayBuffer> {
    this.taken += length;
    return super.take(length);
  }

  override giveBack(bytes: Uint8Array): void {
    bytes.fill(0xee);
  }
}

describe('records that are packed', () => {
  test('[O4] come out as they went in, all of them and those of each place (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 40 }), (all) => {
        const packer = new RecordPacker(new ReusedMemory(0));
        for (const { record, place } of all) packer.add(record, place);
        const packed = packer.takeAll();
        expect(packed).toHaveLength(all.length);
        expect([...packed].map(shown)).toEqual(all.map(({ record, place }) => shown({ ...record, place })));
        for (let place = 0; place < 4; place += 1) {
          const records = all.filter((each) => each.place === place).map(({ record }) => record);
          const write = new PackedWrite(packed, { topic: 't', partition: 0, place, count: records.length });
          expect(write.records.map(shown)).toEqual(records.map(shown));
        }
      }),
      { numRuns: 40 },
    );
  });

  test('[O4] come out in another order, where that is asked for', () => {
    const packer = new RecordPacker(new ReusedMemory(0));
    const say = (text: string): void => {
      packer.add({ key: null, value: utf8.encode(text.repeat(30_000)) }, 0);
    };
    const marks = [START];
    for (const text of ['a', 'b', 'c', 'd', 'e']) {
      say(text);
      marks.push(packer.mark);
    }
    const range = (from: number, to: number): RecordRange => ({ from: marks[from]!, to: marks[to]! });
    const packed = packer.takeAll().inOrder([range(0, 0), range(3, 5), range(1, 1), range(0, 2)]);
    expect([...packed].map(({ value }) => String.fromCharCode(value![0]!))).toEqual(['d', 'e', 'a', 'b']);
    expect(packed).toHaveLength(4);
  });

  test('[O4] are the same where they are written part by part, and one that is given up leaves nothing', () => {
    const packer = new RecordPacker(new ReusedMemory(0));
    packer.begin(9, 200_000, 2);
    packer.part(utf8.encode('given up'), 0, 8);
    packer.begin(1, 100, 5);
    packer.part(utf8.encode('a key'), 2, 3);
    packer.none();
    packer.headers(5);
    packer.framed(headerFrame('first', utf8.encode('1')));
    packer.framed(nameFrame('due'));
    packer.digits(1_800_000_000_123, utf8.encode('p-'));
    packer.framed(nameFrame('none'));
    packer.none();
    packer.framed(nameFrame('zero'));
    packer.digits(0, new Uint8Array(0));
    packer.framed(nameFrame('text'));
    packer.ascii('3-42');
    const parts = 'keyfirst1duep-1800000000123nonezero0text3-42'.length;
    expect(packer.end()).toBe(parts);
    const record: UntimedRecord = {
      key: utf8.encode('key'),
      value: null,
      headers: [
        { name: 'first', value: utf8.encode('1') },
        { name: 'due', value: utf8.encode('p-1800000000123') },
        { name: 'none', value: null },
        { name: 'zero', value: utf8.encode('0') },
        { name: 'text', value: utf8.encode('3-42') },
      ],
    };
    expect(packer.add(record, 1)).toBe(parts);
    expect([...packer.takeAll()]).toEqual([
      { ...record, place: 1 },
      { ...record, place: 1 },
    ]);
  });

  test('longer than they were said to be are no records, whatever room the page has', () => {
    const packer = new RecordPacker(new ReusedMemory(0));
    packer.begin(0, 10, 0);
    packer.part(new Uint8Array(40), 0, 40);
    expect(() => packer.end()).toThrow('a record is no longer than it was said to be');
    packer.begin(0, 10, 0);
    packer.part(new Uint8Array(10), 0, 10);
    packer.none();
    packer.headers(0);
    expect(packer.end()).toBe(10);
    expect(packer.takeAll()).toHaveLength(1);
  });

  test('longer than their page are none, wherever that ends', () => {
    const packer = new RecordPacker(new ReusedMemory(0));
    packer.begin(0, 10, 0);
    packer.part(new Uint8Array(40_000), 0, 40_000);
    packer.part(new Uint8Array(30), 0, 30);
    expect(() => {
      for (let i = 0; i < 2_000; i += 1) packer.part(new Uint8Array(40), 0, 40);
      packer.end();
    }).toThrow('a record is no longer than it was said to be');
  });

  test('[X6] share pages, of which one alone takes one', () => {
    const memory = new Counted();
    const packer = new RecordPacker(memory);
    expect(memory.taken).toBe(0);
    packer.add({ key: utf8.encode('k'), value: null }, 0);
    const { taken } = memory;
    expect(taken).toBeLessThan(100_000);
    for (let i = 0; i < 64; i += 1) packer.add({ key: utf8.encode('k'), value: new Uint8Array(900) }, 0);
    expect(memory.taken).toBe(taken);
  });

  test('[X6] longer than a page share a few sizes of them', () => {
    const memory = new Counted();
    const packer = new RecordPacker(memory);
    for (let bytes = 66_000; bytes < 3_000_000; bytes = Math.ceil(bytes * 1.07)) {
      memory.taken = 0;
      packer.add({ key: null, value: new Uint8Array(bytes) }, 0);
      memory.sizes.add(memory.taken);
    }
    expect([...memory.sizes].filter((size) => size > 0)).toEqual([2, 4, 8, 16, 32, 64].map((size) => size * 65_536));
  });

  test('[O1] stay byte for byte while others are packed, until their memory is given back', () => {
    const packer = new RecordPacker(new Counted());
    const record = { key: utf8.encode('k'), value: utf8.encode('first') };
    packer.add(record, 0);
    const first = packer.takeAll();
    packer.add({ ...record, value: utf8.encode('later') }, 0);
    const later = packer.takeAll();
    expect([...first]).toEqual([{ ...record, place: 0 }]);
    const held = first.cursor();
    const reordered = first.inOrder([]);
    const write = new PackedWrite(first, { topic: 't', partition: 0, place: 0, count: 1 });
    expect(write.records).toEqual([record]);
    first.giveBack();
    for (const read of [
      () => [...first],
      () => held.isOn,
      () => {
        held.next();
      },
      () => [...reordered],
      // A second sending reads the pages again, by simulated writers, too.
      () => write.records,
    ])
      expect(read).toThrow('PKP1: records are read before their memory is given back');
    expect(() => {
      first.giveBack();
    }).toThrow('PKP1: memory is given back once');
    expect([...later]).toEqual([{ ...record, value: utf8.encode('later'), place: 0 }]);
  });
});
