import { ManualClock } from '@flatline/base/manual-clock';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { KEYS_MAX } from './key-chunks.ts';
import { OtherInstances } from './other-instances.ts';

const closes: (() => void)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

/** Goes on by a millisecond with each look at it. */
class TickingClock extends ManualClock {
  override monotonicMs(): number {
    this.advance(1);
    return super.monotonicMs();
  }
}

interface Owner {
  readonly endpoint: string;
  /** How many keys each request had. */
  readonly heard: readonly number[];
  /** Resolves with the next request that is not answered. */
  keepsOneWaiting(): Promise<void>;
}

/** Answers the requests of these numbers, and no others. */
async function ownerOf(...answered: number[]): Promise<Owner> {
  const heard: number[] = [];
  const kept = Array.from({ length: 2 }, () => Promise.withResolvers<undefined>());
  let [unanswered, awaited] = [0, 0];
  const server = createServer((request, response: ServerResponse) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => void parts.push(part));
    request.on('end', () => {
      const { keys } = JSON.parse(Buffer.concat(parts).toString()) as { readonly keys: readonly unknown[] };
      heard.push(keys.length);
      if (answered.includes(heard.length)) response.end(JSON.stringify({ entries: keys.map(() => ({})) }));
      else kept[unanswered++]?.resolve(undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closes.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { endpoint, heard, keepsOneWaiting: () => kept[awaited++]!.promise };
}

function othersBy(clock: TickingClock): OtherInstances {
  const others = new OtherInstances(undefined, clock);
  closes.push(() => {
    others.close();
  });
  return others;
}

const keysOf = (count: number) => Array.from({ length: count }, (_, i) => Buffer.from(`key-${i}`));
const asking = (count: number) => ({ pipeline: 'visits', keys: keysOf(count), isNow: false });

test('[Q1] an owner that answers some of many keys in time is not taken for silent by what is left of it for the last', async () => {
  const owner = await ownerOf(1, 3);
  const clock = new TickingClock();
  const others = othersBy(clock);
  const refused = expect(others.ask(owner.endpoint, 'group', asking(KEYS_MAX + 1))).rejects.toThrow(/no answer within/);
  await owner.keepsOneWaiting();
  clock.advance(900);
  await refused;
  expect(owner.heard).toEqual([KEYS_MAX, 1]);
  expect(await others.ask(owner.endpoint, 'group', asking(2))).toHaveLength(2);
});

test('[Q1] one that answers nothing is not waited for again', async () => {
  const owner = await ownerOf();
  const clock = new TickingClock();
  const others = othersBy(clock);
  const refused = expect(others.ask(owner.endpoint, 'group', asking(KEYS_MAX + 1))).rejects.toThrow(/no answer within/);
  await owner.keepsOneWaiting();
  clock.advance(900);
  await refused;
  await expect(others.ask(owner.endpoint, 'group', asking(1))).rejects.toThrow(/nothing of late/);
  expect(owner.heard).toEqual([KEYS_MAX]);
});
