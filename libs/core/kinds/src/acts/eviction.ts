// An eviction (Q4): every entry that has an attribute of a value, as of one record, ends.
import { type ByteReader, ByteWriter, MalformedBytes, type Millis } from '@flatline/base';

export interface Eviction {
  readonly attribute: string;
  readonly equals: string;
  /** Place of its record: entries that a later record has touched or opened are not concerned. */
  readonly place: number;
  /** The clock at its record: entries end as of it. */
  readonly at: Millis;
  /** Both texts as states of sessions hold them: the length in bytes as a varint, then UTF-8. */
  readonly name: Uint8Array;
  readonly value: Uint8Array;
}

export function eviction(attribute: string, equals: string, place: number, at: Millis): Eviction {
  return { attribute, equals, place, at, name: textBytes(attribute), value: textBytes(equals) };
}

function textBytes(text: string): Uint8Array {
  const out = new ByteWriter(64);
  out.text(text);
  return out.copy();
}

/** As commits carry those that are under way: count varint · for each: attribute · equals · place varint · clock varint */
export function writeEvictions(evictions: readonly Eviction[]): Uint8Array {
  const out = new ByteWriter(256);
  out.varint(evictions.length);
  for (const { attribute, equals, place, at } of evictions) {
    out.text(attribute);
    out.text(equals);
    out.varint(place);
    out.varint(at);
  }
  return out.copy();
}

/** In the order of their records. @throws MalformedBytes */
export function readEvictions(input: ByteReader): Eviction[] {
  const evictions: Eviction[] = [];
  for (let left = input.varint(); left > 0; left -= 1) {
    const next = eviction(input.text(), input.text(), input.varint(), input.varint());
    const last = evictions.at(-1);
    if (last !== undefined && (last.place >= next.place || last.at > next.at))
      throw new MalformedBytes('evictions are out of order');
    evictions.push(next);
  }
  if (input.remaining > 0) throw new MalformedBytes(`${input.remaining} bytes after evictions`);
  return evictions;
}
