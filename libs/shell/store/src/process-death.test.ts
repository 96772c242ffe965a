// Other processes and a store: one holds it, dies in the middle of a write, runs out of disk.
import { seededRandom, StateInUse } from '@flatline/base';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LmdbStores } from './lmdb-stores.ts';
import { ChildProgram } from './testing/child-program.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';
import { Model, rowsOf, sequenceIn, STEP_SLOT, workloadStep } from './testing/workload.ts';

const KILLS_MAX = 12;
const ACKED_STEPS_MAX = 40;

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  directory.remove();
});
const openStores = () => LmdbStores.open({ stateDir: directory.path, application: 'app', pipeline: 'visits' });

describe('[F13] opened twice', () => {
  test('a directory held by a living process is refused; killed with −9, it is free at once', async () => {
    const holder = new ChildProgram('hold-directory.ts', [directory.path]);
    await firstLine(holder);
    const refused = new RegExp(`${directory.path}.*process ${holder.process.pid!} .*--state-dir`);
    expect(openStores).toThrow(StateInUse);
    expect(openStores).toThrow(refused);
    await holder.kill();
    await openStores().close();
  }, 60_000);
});

describe('[F1] [R1] kill −9', () => {
  // One seed, so one series of writes and of numbers of acknowledged steps; where in a write a kill lands is up to the machine.
  test(`leaves each write whole or not at all, ${KILLS_MAX} times`, async () => {
    const seed = 20_260_101;
    const random = seededRandom(seed);
    let model = new Model();
    let written = -1;
    for (let kill = 0; kill < KILLS_MAX; kill += 1) {
      const acked = await writeAndKill(seed, written + 1, 1 + random.below(ACKED_STEPS_MAX));
      const stores = openStores();
      const { store, dropped } = await stores.open(0);
      expect(dropped).toBeUndefined();
      if (store.state() === undefined) {
        model = new Model();
        written = -1;
      } else {
        const rows = rowsOf(store);
        const reached = sequenceIn(rows.get(STEP_SLOT)!);
        expect(reached).toBeGreaterThanOrEqual(acked);
        while (written < reached) model.apply(workloadStep(seed, (written += 1)));
        expect(rows).toEqual(model.rows);
      }
      expect(store.state()).toEqual(model.state);
      expect(store.count()).toBe(model.rows.size);
      // Left as it was found: the next child opens what the killed one left.
      await stores.close();
    }
    expect(written).toBeGreaterThan(KILLS_MAX);
  }, 120_000);
});

describe('[F12] a full disk', () => {
  test('is an error that passes, and the store is as before the write that failed', async () => {
    const seed = 5;
    const child = new ChildProgram('write-until-full.ts', [directory.path, String(seed)], 2048);
    const { written, errors } = JSON.parse(await firstLine(child)) as { written: number; errors: string[] };
    await child.exited();
    expect(written).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatch(/^Retriable: .*app\.visits/);
    const stores = openStores();
    const { store, dropped } = await stores.open(0);
    const model = new Model();
    for (let step = 1; step <= written; step += 1) model.apply(workloadStep(seed, step));
    expect(dropped).toBeUndefined();
    expect(rowsOf(store)).toEqual(model.rows);
    expect(store.state()).toEqual(model.state);
    const next = workloadStep(seed, written + 1);
    store.write(next.changes, next.checkpoint);
    model.apply(next);
    expect(rowsOf(store)).toEqual(model.rows);
    await stores.close();
  }, 120_000);
});

async function firstLine(child: ChildProgram): Promise<string> {
  for await (const line of child.lines()) return line;
  throw new Error('the child said nothing');
}

/** The last step the child had acknowledged when it was killed. */
async function writeAndKill(seed: number, firstStep: number, steps: number): Promise<number> {
  const child = new ChildProgram('write-until-killed.ts', [directory.path, String(seed), String(firstStep)]);
  let acked = firstStep - 1;
  for await (const line of child.lines()) {
    acked = Number(line);
    if (acked >= firstStep + steps - 1) break;
  }
  await child.kill();
  return acked;
}
