// Debouncing on a real broker, judged by a second reading of the rules over the content of the input topic.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Random } from '@flatline/base';
import {
  batchSizes,
  type DebounceFoldRules,
  type FoldedBatch,
  foldDebounce,
  type FoldedWindows,
} from '@flatline/oracle/debounce';
import { isUtf8 } from 'node:buffer';
import avsc from 'avsc';
import { kill, killAll } from './child.fixture.ts';
import {
  bytes,
  latestSchema,
  PARTITIONS,
  pipelineOf,
  type ProducedRecord,
  recordOf,
  recordsIn,
  sendUnderKills,
  textOf,
} from './kinds.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectSound } from './verify.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

async function createScenario(pipeline: object): Promise<Scenario> {
  return Scenario.create({ partitions: PARTITIONS, pipeline: { kind: 'debounce', waitMs: 500, ...pipeline } });
}

function push(...items: readonly ProducedRecord[]): Promise<unknown> {
  return scenario.producing((producer) => producer.send([...items]));
}

/** As docs/FORMATS.md has it, read a second time. */
function jsonOf(value: Uint8Array): string {
  if (!isUtf8(value)) return JSON.stringify({ base64: Buffer.from(value).toString('base64') });
  const text = textOf(value);
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

/** The result of the rules for the present input, by partition. */
async function folded(): Promise<readonly FoldedWindows[]> {
  const rules: DebounceFoldRules = {
    ...pipelineOf(scenario, 'debounce').rules,
    ...batchSizes('json'),
  };
  const input = await recordsIn(scenario, scenario.input);
  return input.map((records, partition) => foldDebounce(records, { partition, rules, logAppendTime: true }));
}

type Batch = Omit<FoldedBatch, 'items'> & { readonly items: readonly unknown[] };

function shown({ items, ...batch }: FoldedBatch): Batch {
  const said = items.map(({ offset, timestamp, value }) => ({
    offset,
    timestamp,
    value: JSON.parse(jsonOf(value)) as unknown,
  }));
  return { ...batch, items: said };
}

/** The records of the output, by key. */
async function said(
  parse: (value: Uint8Array) => unknown = (value) => JSON.parse(textOf(value)) as unknown,
): Promise<Readonly<Record<string, Batch[]>>> {
  const all: Record<string, Batch[]> = {};
  const output = await recordsIn(scenario, scenario.output);
  for (const { key, value } of output.flat()) {
    const { key: name, ...batch } = parse(value!) as Batch & { readonly key: string };
    expect(name).toBe(textOf(key));
    (all[name] ??= []).push(batch);
  }
  return all;
}

/** Waits until the input proves that all windows have fired, and all batches are out; then compares. */
async function expectAsFolded(): Promise<readonly FoldedBatch[]> {
  for (;;) {
    const folds = await folded();
    const batches = folds.flatMap(({ said: each }) => [...each.values()].flat());
    const gone = batches.reduce(
      (sum, { items, count, reason }) => sum + (reason === 'CANCELLED' ? count : items.length),
      0,
    );
    const isOver = gone === folds.reduce((sum, { taken }) => sum + taken.length, 0);
    const found = isOver ? await said() : {};
    if (isOver && Object.values(found).flat().length >= batches.length) {
      const wanted = folds.flatMap(({ said: each }) => [...each].filter(([, all]) => all.length > 0));
      expect(found).toEqual(Object.fromEntries(wanted.map(([key, all]) => [key, all.map(shown)])));
      return batches;
    }
    await sleep(200);
  }
}

describe('debouncing on a real broker', () => {
  test('[B1][B2][B3] items come in one batch after silence, at once by FLUSH, never after null', async () => {
    scenario = await createScenario({});
    const processor = scenario.start();
    await push(recordOf('doc', '{"edit": 1}'), recordOf('doc', 'plain'), recordOf('doc', Uint8Array.of(0xff)));
    await push(recordOf('flushed', '1', { 'flatline-wait-ms': '4000' }), recordOf('gone', '1'), recordOf('gone', null));
    await push(recordOf('flushed', '2'), recordOf('flushed', null, { 'flatline-command': 'FLUSH' }));
    const batches = await expectAsFolded();
    expect(batches.map(({ reason }) => reason).sort()).toEqual(['CANCELLED', 'FLUSHED', 'QUIET']);
    const all = await said();
    expect(all['doc']?.[0]?.items).toMatchObject([
      { value: { edit: 1 } },
      { value: 'plain' },
      { value: { base64: '/w==' } },
    ]);
    expect(all['flushed']?.[0]).toMatchObject({ reason: 'FLUSHED', count: 2, part: 0, last: true });
    expect(all['gone']?.[0]).toMatchObject({ reason: 'CANCELLED', count: 1, items: [] });
    expect(await scenario.stop(processor)).toBe(0);
  });

  test('[B2][B4][F1] with processors killed: each item in one batch, as the rules say', async () => {
    scenario = await createScenario({ maxWaitMs: 1_500, maxItems: 40 });
    const act = (i: number, random: Random): readonly ProducedRecord[] => {
      const below = (bound: number): number => random.below(bound);
      const items = Array.from({ length: 1 + below(20) }, (_, n) =>
        recordOf(`key-${below(6)}`, `{"n":${i},"of":${n}}`),
      );
      if (below(10) === 0) items.push(recordOf(`key-${below(6)}`, null));
      if (below(10) === 0) items.push(recordOf(`key-${below(6)}`, null, { 'flatline-command': 'FLUSH' }));
      return items;
    };
    await sendUnderKills(scenario, act, (random) => random.below(200));
    const batches = await expectAsFolded();
    expect((await expectSound(scenario)).closed).toBeGreaterThan(10);
    const reasons = new Set(batches.map(({ reason }) => reason));
    for (const reason of ['QUIET', 'MAX_WAIT', 'FLUSHED', 'CANCELLED']) expect(reasons).toContain(reason);
  });

  test('[B3][F1] split: a window of 3 MB comes in parts, each once and in their order, though its owner is killed', async () => {
    scenario = await createScenario({ onOversize: 'split', waitMs: 3_000, maxWaitMs: 0 });
    const processor = scenario.start();
    const value = JSON.stringify('x'.repeat(10_000));
    await scenario.producing(async (producer) => {
      for (let i = 0; i < 30; i += 1) {
        await producer.send(Array.from({ length: 10 }, () => recordOf('hot', value)));
        if (i === 20) await kill(processor.child);
      }
    });
    const next = scenario.start();
    const parts = await expectAsFolded();
    expect(parts.map(({ part, last }) => [part, last])).toEqual([
      [0, false],
      [1, false],
      [2, false],
      [3, true],
    ]);
    expect(parts[0]).toMatchObject({ reason: 'QUIET', count: 300 });
    expect(await scenario.stop(next)).toBe(0);
  });

  test('[B3][Q2][Q4] at the command line: listed and shown, flushed and cancelled, whether a processor runs or not', async () => {
    scenario = await createScenario({ waitMs: 3_600_000, maxWaitMs: 0 });
    const lines = async (...args: string[]): Promise<Record<string, unknown>[]> => {
      const { stdout } = await succeed(['windows', ...args, '--config', scenario.config, '--json']);
      return stdout.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    const open = async (until: (keys: string) => boolean): Promise<Record<string, unknown>[]> => {
      for (;;) {
        const listed = await lines('list');
        if (until(listed.flatMap(({ key }) => (key === undefined ? [] : [key as string])).join(' '))) return listed;
        await sleep(300);
      }
    };
    const processor = scenario.start();
    await push(recordOf('doc', '1'), recordOf('doc', '22'), recordOf('gone', '1'), recordOf('stays', '1'));
    const listed = await open((keys) => keys === 'doc gone stays');
    expect(listed[0]).toMatchObject({ kind: 'debounce', key: 'doc', count: 2, bytes: 3, waitMs: 3_600_000 });
    expect((await lines('get', 'doc'))[0]).toMatchObject({ state: 'live', windowId: listed[0]!['windowId'], count: 2 });
    const [sent] = await lines('flush', 'doc');
    expect(sent).toMatchObject({ kind: 'sent', act: 'flush', key: 'doc', topic: scenario.input, found: true });
    await lines('cancel', 'gone');
    await open((keys) => keys === 'stays');
    expect(await scenario.stop(processor)).toBe(0);
    expect((await open((keys) => keys === 'stays')).at(-1)).toMatchObject({
      total: 1,
      asOf: [{ behind: 0 }, { behind: 0 }],
    });
    const { doc, gone } = await said();
    expect(doc).toMatchObject([{ reason: 'FLUSHED', count: 2, items: [{ value: 1 }, { value: 22 }] }]);
    expect(gone).toMatchObject([{ reason: 'CANCELLED', count: 1, items: [] }]);
    const asked = (...args: string[]): ReturnType<typeof flatline>['finished'] =>
      flatline(['windows', ...args, '--config', scenario.config]).finished;
    expect(await asked('get', 'doc')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('no window has this key, as of'),
    });
    expect(await asked('flush', 'doc')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^flush doc: sent to .*: as of the newest commit no window is open there/),
    });
    expect((await asked('list')).stdout).toMatch(/^stays .* 1 +1 /m);
  });

  test('[B3] in Avro: batches by the schema that is registered, values as they came', async () => {
    scenario = await createScenario({});
    scenario.configure({ output: { topic: scenario.output, format: 'avro' } });
    const url = process.env['SCHEMA_REGISTRY_URL'] ?? '';
    const processor = scenario.start();
    await push(recordOf('doc', '{"edit": 1}'), recordOf('doc', Uint8Array.of(0xff)));
    const type = avsc.Type.forSchema(await latestSchema(url, `${scenario.output}-value`), { wrapUnions: 'never' });
    for (;;) {
      const { doc } = await said((value) => type.fromBuffer(Buffer.from(value.subarray(5))));
      if (doc === undefined) continue;
      expect(doc[0]).toMatchObject({ reason: 'QUIET', count: 2, last: true, keyBase64: null });
      expect(doc[0]?.items.map((each) => [...(each as { readonly value: Uint8Array }).value])).toEqual([
        [...bytes('{"edit": 1}')],
        [0xff],
      ]);
      break;
    }
    expect(await scenario.stop(processor)).toBe(0);
    expect(await expectSound(scenario)).toMatchObject({ incarnations: 1, closed: 1, open: 0 });
  });
});
