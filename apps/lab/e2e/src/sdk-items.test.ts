// Items that the SDK pushes, on a real broker, and the windows that they make.
import { afterEach, describe, expect, test } from '@jest/globals';
import { BadInput, type Batch, Fatal, RecordTooLarge } from '@flatline/client';
import { recordsIn, textOf } from './kinds.fixture.ts';
import { closeSdk, openSdk, type Sdk } from './sdk.fixture.ts';
import { expectSound } from './verify.fixture.ts';

let scenario: Sdk['scenario'];
let flatline: Sdk['flatline'];
afterEach(closeSdk);

async function create(pipeline: object): Promise<void> {
  ({ scenario, flatline } = await openSdk({ kind: 'debounce', waitMs: 500, ...pipeline }));
}

async function take(count: number): Promise<Map<string, Batch['batch']>> {
  const taken = new Map<string, Batch['batch']>();
  for await (const { keyText, batch } of flatline.batches({ topic: scenario.output, group: scenario.application })) {
    taken.set(keyText, batch);
    if (taken.size === count) return taken;
  }
  throw new Error('the batches have ended');
}

describe('items of the SDK', () => {
  test('[B1][B2][B3] fill windows as they are, wait as they ask, fire and cancel', async () => {
    await create({ waitMs: 60_000, dedupeBy: 'by' });
    const processor = scenario.start();
    const items = await flatline.items({ topic: scenario.input });
    expect(items.push('doc', { edit: 1 }, { headers: { by: 'anna' } })).toBe(true);
    items.push('doc', 'plain', { headers: { by: 'bert' } });
    items.push('doc', Uint8Array.of(0xff), { headers: { by: 'carl' } });
    items.push('doc', { edit: 2 }, { headers: { by: 'anna' }, waitMs: '300ms' });
    items.push('now', 1);
    items.push('now', 2, { flush: true });
    items.push('later', 'x');
    items.fire('later');
    items.push('gone', 'x');
    items.cancel('gone');
    items.push('', 'of the empty key', { flush: true });
    await items.flush();
    const batches = await take(5);
    const shown = [...batches].map(([key, { reason, items: of }]) => [key, reason, of.map(({ value }) => value)]);
    expect(new Map(shown.map(([key, ...rest]) => [key, rest]))).toEqual(
      new Map<unknown, unknown>([
        ['doc', ['QUIET', ['plain', Uint8Array.of(0xff), { edit: 2 }]]],
        ['now', ['FLUSHED', [1, 2]]],
        ['later', ['FLUSHED', ['x']]],
        ['gone', ['CANCELLED', []]],
        ['', ['FLUSHED', ['of the empty key']]],
      ]),
    );
    expect(items.dropped).toEqual({ items: 0, fires: 0, cancels: 0 });
    expect(await scenario.stop(processor)).toBe(0);
    await expectSound(scenario);
  });

  test('[I1][I4] that no pipeline or topic takes are refused, and others go on', async () => {
    await create({});
    const processor = scenario.start();
    const items = await flatline.items({ topic: scenario.input });
    expect(() => items.push('k'.repeat(65_536), 1)).toThrow(BadInput);
    expect(() => items.push('doc', 'x'.repeat(3_000_000))).toThrow(RecordTooLarge);
    expect(() => items.push('doc', undefined as never)).toThrow(TypeError);
    expect(() => items.push('doc', 1, { waitMs: Number.NaN })).toThrow(TypeError);
    // Longer than the maxKeyBytes of this pipeline, which the SDK does not know.
    items.push('k'.repeat(65_535), 1);
    items.push('doc', 'sound');
    await items.close();
    expect((await take(1)).get('doc')?.items.map(({ value }) => value)).toEqual(['sound']);
    const [letters] = scenario.topics.slice(-1);
    const reasons = (await recordsIn(scenario, letters!)).flat().map(({ headers }) => {
      return textOf(headers.find(({ name }) => name === 'flatline-reason')?.value ?? null);
    });
    expect(reasons).toEqual(['key-too-long']);
    expect(await scenario.stop(processor)).toBe(0);
    await expect(flatline.items({ topic: `${scenario.input}-nowhere` })).rejects.toThrow(Fatal);
  });
});
