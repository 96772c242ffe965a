// Webhooks under kills and among hostile endpoints, on a real broker.
import { afterEach, describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { kill, killAll, type Running } from './child.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { Notifying } from './notifying.fixture.ts';
import { sleep } from './scenario.fixture.ts';
import { expectSound } from './verify.fixture.ts';
import { ok, status, type WebhookSink } from './webhook-sink.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 176_000_003);

const INWARD = 'http://169.254.169.254/latest/meta-data';
const MEGABYTE = Buffer.alloc(1_000_000);
/** A fifth of what one answer would bring. */
const GROWTH_BYTES_MAX = 200_000_000;

let notifying: Notifying;
afterEach(async () => {
  await killAll();
  await notifying.dispose();
});

describe('webhooks', () => {
  test('[N1][N3][N4][F1] with processors killed: each output of a batch, in the order of its key, the same body for an id', async () => {
    const random = seededRandom(SEED);
    // A batch for each item: a key has many outputs.
    notifying = await Notifying.create([{ order: 'key', maxInFlight: 4 }], {
      kind: 'debounce',
      maxItems: 1,
      waitMs: 60_000,
    });
    const { name, scenario, sink } = notifying;
    const done: { readonly id: string; readonly key: string; readonly offset: number }[] = [];
    sink.answer = (response, received, count) => {
      // One in thirty fails at first, and is tried again five seconds later: those behind it wait. After another failure they would
      // wait five minutes, and half an hour after a third (N2): that is tried in virtual time.
      if (random.chance(1 / 30) && count === 1) {
        status(500)(response, received, 0);
        return;
      }
      const { data } = JSON.parse(received.body) as { data: { key: string; firstOffset: number } };
      done.push({ id: received.id, key: data.key, offset: data.firstOffset });
      setTimeout(() => {
        ok(response, received, 0);
      }, random.below(50));
    };
    const processors = [notifying.start('a'), notifying.start('b')];
    await scenario.producing(async (producer) => {
      for (let i = 1; i <= 240; i += 1) {
        await producer.send([recordOf(`k${random.below(8)}`, `{"i":${i}}`)]);
        await sleep(random.below(100));
        if (i % 60 !== 0) continue;
        const at = random.below(2);
        await kill(processors[at]!.child);
        processors[at] = notifying.start(['a', 'b'][at]);
      }
    });
    await sink.until(240);
    while (new Set(done.map(({ id }) => id)).size < 240) await sleep(100);
    const bodies = new Map<string, string>();
    for (const { id, body, isVerified } of sink.received) {
      expect([isVerified, bodies.get(id) ?? body]).toEqual([true, body]);
      bodies.set(id, body);
    }
    const latest = new Map<string, number>();
    const first = done.filter(({ id }, i) => done.findIndex((each) => each.id === id) === i);
    for (const { key, offset } of first) {
      expect([SEED, key, offset]).toEqual([SEED, key, Math.max(offset, latest.get(key) ?? -1)]);
      latest.set(key, offset);
    }
    // Four kills, at most four requests under way at each, and in two partitions what was not committed.
    expect(done.length - first.length).toBeLessThanOrEqual(4 * 2 * 4);
    // The pipeline that keeps the deliveries is one like any other.
    for (const pipeline of [name, `${name}.deliveries`]) await expectSound(scenario, '--pipeline', pipeline);
  }, 600_000);

  test('[N4][F19] seven endpoints are served as if there were no others: one is dead, one drips, one redirects inward with a gigabyte', async () => {
    const perEndpoint = { maxInFlight: 16, timeoutMs: 2_000 };
    const pipeline = { kind: 'debounce', maxItems: 1, waitMs: 60_000 };
    notifying = await Notifying.create(
      Array.from({ length: 10 }, () => perEndpoint),
      pipeline,
    );
    const [dead, dripping, inward, ...good] = notifying.sinks as [
      WebhookSink,
      WebhookSink,
      WebhookSink,
      ...WebhookSink[],
    ];
    const { scenario } = notifying;
    let isWell = true;
    dead.answer = (response, received) => {
      if (isWell) ok(response, received, 0);
      else response.destroy();
    };
    dripping.answer = (response, received) => {
      if (isWell) {
        ok(response, received, 0);
        return;
      }
      response.writeHead(500);
      const timer = setInterval(() => response.write('x'), 1_000);
      response.on('close', () => {
        clearInterval(timer);
      });
    };
    inward.answer = (response, received) => {
      if (isWell) ok(response, received, 0);
      else Readable.from(gigabyte()).pipe(response.writeHead(307, { location: INWARD }));
    };
    const processor = notifying.start('a');
    let said = 0;
    /** Sends so many items, and waits until the good endpoints have them. Returns how long each took. */
    const send = async (count: number): Promise<readonly number[]> => {
      const before = good.map(({ received }) => received.length);
      await scenario.producing(async (producer) => {
        for (let i = 0; i < count; i += 1) {
          await producer.send([recordOf(`k${said + i}`, `{"at":${Date.now()}}`)]);
          await sleep(20);
        }
      });
      said += count;
      await Promise.all(good.map((sink) => sink.until(said)));
      return good
        .flatMap(({ received }, i) => received.slice(before[i]))
        .map(({ at, body }) => at - sentAt(body))
        .toSorted((a, b) => a - b);
    };
    await send(50);
    const alone = await send(300);
    isWell = false;
    const restBefore = residentOf(processor);
    const beside = await send(300);
    const grownBy = residentOf(processor) - restBefore;
    expect(grownBy).toBeLessThan(GROWTH_BYTES_MAX);
    for (const [words, delays] of [
      ['all well', alone],
      ['three hostile', beside],
    ] as const)
      console.info(`from item to endpoint, ${words}: p50 ${at(delays, 0.5)} ms, p99 ${at(delays, 0.99)} ms`);
    for (const sink of good) expect([sink.received.length, new Set(sink.ids).size]).toEqual([said, said]);
    // Breakers keep those that fail from being asked for each delivery.
    for (const sink of [dead, inward]) expect(sink.received.length - 350).toBeLessThan(300);
    isWell = true;
    await Promise.all([dead, dripping, inward].map((sink) => sink.until(said)));
    expect(await scenario.stop(processor)).toBe(0);
    for (const pipeline of [notifying.name, `${notifying.name}.deliveries`])
      await expectSound(scenario, '--pipeline', pipeline);
  }, 900_000);
});

function* gigabyte(): Generator<Buffer> {
  for (let megabytes = 0; megabytes < 1_000; megabytes += 1) yield MEGABYTE;
}

/** Bytes of memory of a process. */
function residentOf({ child }: Running): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))!;
  return 1_024 * Number(kilobytes);
}

function sentAt(body: string): number {
  const { data } = JSON.parse(body) as { data: { items: { value: { at: number } }[] } };
  return data.items[0]!.value.at;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)]!;
}
