// F13: the files of the local store are damaged while not in use.
import { closeSync, ftruncateSync, globSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '@flatline/base';
import type { TrialContext, TrialResult, Scenario } from '../scenario.ts';
import { sleep } from '../stage/sleep.ts';
import { Trial } from '../trial/trial.ts';

const PHASE_MS = 2_500;
const PAGE_BYTES = 4_096;
const FLIPS_PER_PAGE = 8;

type Damage = (descriptor: number, size: number, random: Random) => void;

const damages: readonly (readonly [string, Damage])[] = [
  ['bytes of every page flipped', flipBytes],
  ['cut to half', cutToHalf],
  [
    'its first page overwritten',
    (descriptor) => {
      writeSync(descriptor, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, 0);
    },
  ],
];

export const damagedStore: Scenario = {
  id: 'F13',
  title: 'a damaged local store',
  nodes: 1,
  variants: damages.length,
  run,
};

async function run(context: TrialContext): Promise<TrialResult> {
  const trial = await Trial.begin(context);
  const [name, damage] = damages[context.index % damages.length]!;
  trial.variant = `every file: ${name}`;
  trial.load();
  const before = await trial.started();
  await sleep(PHASE_MS);
  const { code } = await before.terminate();
  if (code !== 0) throw new Error(`a clean shutdown ended with ${code}`);
  for (const file of globSync(join(trial.application.stateDir('a'), '**', '*.mdb'))) {
    const descriptor = openSync(file, 'r+');
    damage(descriptor, statSync(file).size, context.random);
    closeSync(descriptor);
  }
  trial.armed = trial.application.partitions;
  const after = await trial.started();
  await sleep(PHASE_MS);
  after.said(/local store dropped/).forEach(() => {
    trial.hit();
  });
  return trial.conclude([after]);
}

function cutToHalf(descriptor: number, size: number): void {
  ftruncateSync(descriptor, Math.floor(size / 2));
}

/** Only bytes in use: the rest of a page may be anything. */
function flipBytes(descriptor: number, size: number, random: Random): void {
  const page = Buffer.alloc(PAGE_BYTES);
  for (let start = 0; start < size; start += PAGE_BYTES) {
    const length = readSync(descriptor, page, 0, PAGE_BYTES, start);
    const used = [...page.subarray(0, length).keys()].filter((at) => page[at] !== 0);
    for (let flips = 0; flips < FLIPS_PER_PAGE && used.length > 0; flips += 1) {
      const at = used[random.below(used.length)]!;
      writeSync(descriptor, Buffer.from([page[at]! ^ (1 + random.below(255))]), 0, 1, start + at);
    }
  }
}
