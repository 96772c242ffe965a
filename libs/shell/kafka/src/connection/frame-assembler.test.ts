import { describe, expect, test } from '@jest/globals';
import { MalformedBytes } from '@flatline/base';
import fc from 'fast-check';
import { FRAME_BYTES_MAX, FrameAssembler } from './frame-assembler.ts';

function framed(content: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length);
  return Buffer.concat([length, content]);
}

describe('FrameAssembler', () => {
  test('FA1 answers come whole and in order, however they were cut, out of memory that is used again (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
        (contents, cuts) => {
          const frames: Buffer[] = [];
          const assembler = new FrameAssembler((frame) => frames.push(frame));
          const stream = Buffer.concat(contents.map(framed));
          const reused = Buffer.alloc(30);
          for (let at = 0, cut = 0; at < stream.length; cut += 1) {
            const length = Math.min(cuts[cut % cuts.length]!, stream.length - at);
            reused.fill(0xee).set(stream.subarray(at, at + length));
            assembler.push(reused.subarray(0, length));
            at += length;
          }
          expect(frames).toEqual(contents.map(framed));
        },
      ),
    );
  });

  test.each([-1, FRAME_BYTES_MAX + 1, Buffer.from('HTTP').readInt32BE()])('a length of %i is refused', (length) => {
    const assembler = new FrameAssembler(() => undefined);
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(length);
    expect(() => {
      assembler.push(bytes);
    }).toThrow(MalformedBytes);
  });
});
