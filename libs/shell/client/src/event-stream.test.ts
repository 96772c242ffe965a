import { describe, expect, test } from '@jest/globals';
import { eventsIn, type StreamedEvent } from './event-stream.ts';

const utf8 = new TextEncoder();

async function read(text: string, size: number): Promise<readonly StreamedEvent[]> {
  const bytes = utf8.encode(text);
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
  }
  const all: StreamedEvent[] = [];
  for await (const event of eventsIn(parts())) all.push(event);
  return all;
}

const TEXT =
  'id: 7\nevent: output\ndata: {"ü":1}\n\n: a comment\nid: 8\n\ndata: a\r\ndata:b\r\n\r\nevent: cut off\ndata: in the middle\n';

describe('an event stream', () => {
  test.each([1, 2, 3, 1_000])('[Q3] is read the same however its bytes come, %i at a time', async (size) => {
    expect(await read(TEXT, size)).toEqual([
      { name: 'output', data: '{"ü":1}', id: '7' },
      { name: 'message', data: undefined, id: '8' },
      { name: 'message', data: 'a\nb', id: '8' },
    ]);
  });
});
