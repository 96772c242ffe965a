import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { KEYS_MAX } from './key-chunks.ts';
import { OtherInstances } from './other-instances.ts';

const closes: (() => void)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

/** Answers the requests of these numbers, and no others. */
async function ownerOf(...answered: number[]): Promise<{ readonly endpoint: string; readonly heard: number[] }> {
  const heard: number[] = [];
  const server = createServer((request, response: ServerResponse) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => void parts.push(part));
    request.on('end', () => {
      const { keys } = JSON.parse(Buffer.concat(parts).toString()) as { readonly keys: readonly unknown[] };
      heard.push(keys.length);
      if (answered.includes(heard.length)) response.end(JSON.stringify({ entries: keys.map(() => ({})) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closes.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

const keysOf = (count: number) => Array.from({ length: count }, (_, i) => Buffer.from(`key-${i}`));
const asking = (count: number) => ({ pipeline: 'visits', keys: keysOf(count), isNow: false });

test('[Q1] an owner that answers some of many keys in time is not taken for silent by what is left of it for the last', async () => {
  const { endpoint, heard } = await ownerOf(1, 3);
  const others = new OtherInstances(undefined);
  closes.push(() => {
    others.close();
  });
  await expect(others.ask(endpoint, 'group', asking(KEYS_MAX + 1))).rejects.toThrow();
  expect(heard).toEqual([KEYS_MAX, 1]);
  expect(await others.ask(endpoint, 'group', asking(2))).toHaveLength(2);
});

test('[Q1] one that answers nothing is not waited for again', async () => {
  const { endpoint, heard } = await ownerOf();
  const others = new OtherInstances(undefined);
  closes.push(() => {
    others.close();
  });
  await expect(others.ask(endpoint, 'group', asking(KEYS_MAX + 1))).rejects.toThrow();
  await expect(others.ask(endpoint, 'group', asking(1))).rejects.toThrow(/nothing of late/);
  expect(heard).toEqual([KEYS_MAX]);
});
