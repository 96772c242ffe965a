// The command line of `npm run worlds`: a mistake in it ends the process with 2, --help with 0.
import { KIND_NAMES, type KindName, messageOf } from '@flatline/base';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { seedsOf } from './other-reach.ts';
import type { WorldName } from './tally.ts';

/** Worlds of look-ups are asked for by a number of answers. */
const WORLDS: readonly WorldName[] = ['chain', 'deliveries', 'tasks'];

const SEEDS = 2_000;

const USAGE = `usage: npm run worlds -- [--seeds N] [--from S] [--minutes M] [--workers N] [--kind K] [--mutants [--part I/N] [--record]]
       npm run worlds -- --seed S [--kind K]
       npm run worlds -- --world W [--seeds N] [--from S] [--minutes M] [--workers N]
       npm run worlds -- --world W --seed S
       npm run worlds -- --look-ups N [--from S] [--workers N]
       npm run worlds -- --look-ups 0 --seed S

The pipeline in a simulated cluster, one world and its faults per seed, judged by the oracle.

  --seeds N    so many worlds (default: ${SEEDS}; with --world as many as show that each of its faults happens)
  --from S     seed of the first (default: 1)
  --minutes M  begin no further world after so long
  --kind K     only worlds of pipelines of this kind: ${KIND_NAMES.join(', ')} (default: as each seed draws)
  --workers N  processes (default: one per core, here ${availableParallelism()})
  --mutants    afterwards hunt products with one deliberate fault each; with --kind or --world those that are hunted in worlds of it
  --part I/N   of the mutants: only every Nth, from the Ith on
  --record     has later hunts begin with the seeds that caught each mutant in this one
  --world W    worlds of another make: chain, pipelines that routes join (P3); deliveries, outputs
               that go to webhooks (N1–N5); tasks, that workers of the SDK work off (T1–T3)
  --look-ups N worlds in which keys are asked for, until so many answers were judged (Q1, Q2)
  --seed S     only this world, with the logs of its processes
  --help       this page

Exit code 0: nothing was violated, every kind of fault happened, every mutant was caught. 1: otherwise. 2: wrong flags.

Examples:
  $ npm run worlds -- --seeds 200
  $ npm run worlds -- --seed 284
  $ npm run worlds -- --seeds 200000 --minutes 60
`;

function parsed() {
  try {
    return parseArgs({
      options: {
        seeds: { type: 'string' },
        from: { type: 'string', default: '1' },
        seed: { type: 'string' },
        kind: { type: 'string' },
        minutes: { type: 'string' },
        workers: { type: 'string', default: String(availableParallelism()) },
        mutants: { type: 'boolean', default: false },
        part: { type: 'string' },
        record: { type: 'boolean', default: false },
        world: { type: 'string' },
        'look-ups': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(messageOf(error));
  }
}

function refuse(why: string): never {
  process.stderr.write(`worlds: ${why}\n\n${USAGE}`);
  process.exit(2);
}

export const flags = parsed();
if (flags.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
if (flags.record && !flags.mutants) refuse('--record says which seeds caught mutants: give --mutants, too');
if (flags.part !== undefined && !flags.mutants) refuse('--part is one of the mutants: give --mutants, too');

/** The part of the mutants to hunt: its number, and of how many. */
export const partWanted = partOf(flags.part ?? '1/1');

function partOf(text: string): { readonly index: number; readonly of: number } {
  const [index = 0, of = 0] = /^\d+\/\d+$/.test(text) ? text.split('/').map(Number) : [];
  if (index >= 1 && index <= of) return { index, of };
  return refuse(`--part is "${text}", wanted I/N with 1 ≤ I ≤ N, for example 1/3`);
}

export function numberOf(name: string, text: string, least = 0): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least) return number;
  return refuse(`--${name} is "${text}", wanted a whole number from ${least}`);
}

export function seedsWanted(): number {
  const { seeds } = flags;
  if (seeds !== undefined) return numberOf('seeds', seeds);
  const world = worldWanted();
  return world === undefined ? SEEDS : seedsOf(world);
}

/** undefined: worlds of one pipeline. */
export function worldWanted(): WorldName | undefined {
  const { world } = flags;
  if (world === undefined) return undefined;
  const found = WORLDS.find((name) => name === world);
  return found ?? refuse(`--world is "${world}", wanted one of ${WORLDS.join(', ')}`);
}

/** undefined: as each seed draws it. */
export function kindWanted(): KindName | undefined {
  const { kind } = flags;
  if (kind === undefined) return undefined;
  const found = KIND_NAMES.find((name) => name === kind);
  return found ?? refuse(`--kind is "${kind}", wanted one of ${KIND_NAMES.join(', ')}`);
}
