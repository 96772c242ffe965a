// Feeds decoders with damaged bytes: mutations of good inputs, and noise. Every case follows from seed and number alone.
//
// A decoder may refuse a case as its contract says. It may not throw anything else, hang, or allocate without bound.
//
// FUZZ_SEED, FLATLINE_FUZZ_RUNS, FLATLINE_FUZZ_TARGET and FLATLINE_FUZZ_CASE choose other cases; `npm run fuzz`
// sets them. With FLATLINE_FUZZ_KEEP a failing case is added to the target's regressions, which are fed first ever after.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Random, randomBytes, seededRandom } from './random.ts';

export interface FuzzTarget {
  /** `records/event`: project and what is decoded. */
  readonly name: string;
  /** Good inputs, which cases are made from. */
  readonly corpus: readonly Uint8Array[];
  /** One line per case that failed once: target, hexadecimal digits. */
  readonly regressions: URL;
  /** Feeds one case. @throws where the decoder did what it must not. */
  readonly feed: (bytes: Uint8Array) => void;
}

const SEED = 20_261_121;
const env = process.env;

/** Bytes that one case may leave allocated before it counts as unbounded: an unpacked batch and what is made of it. */
const ALLOCATED_BYTES_MAX = 256 * 1024 * 1024;
/** Processor time after which a case counts as hanging. A case takes microseconds. */
const HANG_MS = 20_000;
const CASE_BYTES_MAX = 64 * 1024;

/** Feeds the target's regressions, then `cases` cases. @throws with the seed, the case and the command to run it again. */
export function fuzz(target: FuzzTarget, cases: number): void {
  if (env['FLATLINE_FUZZ_TARGET'] !== undefined && env['FLATLINE_FUZZ_TARGET'] !== target.name) return;
  const seed = Number(env['FUZZ_SEED'] ?? SEED);
  const only = env['FLATLINE_FUZZ_CASE'];
  for (const [line, bytes] of regressionsOf(target)) attempt(target, bytes, `regression in line ${line}`);
  const first = Number(only ?? 0);
  const end = only === undefined ? Number(env['FLATLINE_FUZZ_RUNS'] ?? cases) : first + 1;
  const watchdog = new Watchdog(`--target ${target.name} --seed ${seed}`);
  try {
    for (let number = first; number < end; number += 1) {
      watchdog.begins(number);
      const bytes = fuzzCase(target.corpus, seed, number);
      const where = `case ${number} of seed ${seed}; npm run fuzz -- --target ${target.name} --seed ${seed} --case ${number}`;
      attempt(target, bytes, where);
    }
  } finally {
    watchdog.stop();
  }
}

function attempt(target: FuzzTarget, bytes: Uint8Array, where: string): void {
  const before = allocated();
  try {
    target.feed(bytes);
    const grown = allocated() - before;
    if (grown > ALLOCATED_BYTES_MAX) throw new Error(`${bytes.length} bytes made it allocate ${grown}`);
  } catch (error) {
    const hex = hexOf(bytes);
    const line = `${target.name} ${hex}\n`;
    if (env['FLATLINE_FUZZ_KEEP'] !== undefined && !where.startsWith('regression'))
      appendFileSync(target.regressions, line);
    const shown = hex.length > 400 ? `${hex.slice(0, 400)}… (${bytes.length} bytes)` : hex;
    throw new Error(`${target.name}: ${where}\n${shown}`, { cause: error });
  }
}

function allocated(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function regressionsOf({ name, regressions }: FuzzTarget): [number, Uint8Array][] {
  const path = fileURLToPath(regressions);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index): [number, Uint8Array][] => {
      const [target, hex = ''] = line.split(' ');
      return target === name ? [[index + 1, bytesOf(hex)]] : [];
    });
}

/** Case `number` of `seed`: the same on every machine. */
function fuzzCase(corpus: readonly Uint8Array[], seed: number, number: number): Uint8Array {
  const random = seededRandom(seed * 2 ** 24 + number);
  if (random.chance(1 / 32)) return randomBytes(random, 1 + random.below(200));
  // A Buffer's slice would be a view: the corpus must stay as it is.
  let bytes: Uint8Array = Uint8Array.from(corpus[random.below(corpus.length)]!);
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    const mutation = MUTATIONS[random.below(MUTATIONS.length)]!;
    bytes = mutation(bytes, random, corpus);
  }
  return bytes.length > CASE_BYTES_MAX ? bytes.slice(0, CASE_BYTES_MAX) : bytes;
}

type Mutation = (bytes: Uint8Array, random: Random, corpus: readonly Uint8Array[]) => Uint8Array;

const BYTES = [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff, 0x20, 0x22, 0x2d, 0x2e, 0x30, 0x3a, 0x5b, 0x5c, 0x65, 0x7b, 0x7d];
/** Lengths, counts and numbers at which arithmetic turns over: big-endian, little-endian and as varints. */
const NUMBERS: readonly (readonly number[])[] = [
  [0x7f, 0xff, 0xff, 0xff],
  [0x80, 0x00, 0x00, 0x00],
  [0xff, 0xff, 0xff, 0x7f],
  [0xff, 0xff, 0xff, 0xff],
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
];

const MUTATIONS: readonly Mutation[] = [
  (bytes, random) => replaced(bytes, random, (byte) => byte ^ (1 << random.below(8))),
  (bytes, random) => replaced(bytes, random, () => BYTES[random.below(BYTES.length)]!),
  (bytes, random) => replaced(bytes, random, () => random.below(256)),
  (bytes, random) => overwritten(bytes, random, NUMBERS[random.below(NUMBERS.length)]!),
  (bytes, random) => spliced(bytes, random, 0, NUMBERS[random.below(NUMBERS.length)]!),
  (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  (bytes, random) => spliced(bytes, random, 1 + random.below(8), []),
  (bytes, random) => spliced(bytes, random, 0, randomBytes(random, 1 + random.below(16))),
  (bytes, random, corpus) =>
    spliced(bytes, random, random.below(8), piece(corpus[random.below(corpus.length)]!, random)),
  // Deep nesting, long repetitions.
  (bytes, random) => spliced(bytes, random, 0, repeated(piece(bytes, random), random)),
];

function replaced(bytes: Uint8Array, random: Random, change: (byte: number) => number): Uint8Array {
  const copy = bytes.slice();
  const at = random.below(Math.max(1, copy.length));
  if (at < copy.length) copy[at] = change(copy[at]!);
  return copy;
}

function overwritten(bytes: Uint8Array, random: Random, by: readonly number[]): Uint8Array {
  const copy = bytes.slice();
  const at = random.below(Math.max(1, copy.length));
  by.forEach((byte, i) => {
    if (at + i < copy.length) copy[at + i] = byte;
  });
  return copy;
}

function spliced(bytes: Uint8Array, random: Random, remove: number, insert: ArrayLike<number>): Uint8Array {
  const at = random.below(bytes.length + 1);
  const rest = bytes.subarray(Math.min(bytes.length, at + remove));
  const out = new Uint8Array(at + insert.length + rest.length);
  out.set(bytes.subarray(0, at));
  out.set(insert, at);
  out.set(rest, at + insert.length);
  return out;
}

function piece(bytes: Uint8Array, random: Random): Uint8Array {
  const start = random.below(bytes.length + 1);
  return bytes.subarray(start, start + 1 + random.below(32));
}

function repeated(bytes: Uint8Array, random: Random): Uint8Array {
  const times = 2 ** random.below(random.chance(1 / 16) ? 13 : 5);
  const out = new Uint8Array(bytes.length * times);
  for (let i = 0; i < times; i += 1) out.set(bytes, i * bytes.length);
  return out;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

/** Ends the process where a case does not come back: nothing inside it could. */
class Watchdog {
  readonly #current = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker: Worker;

  constructor(what: string) {
    const workerData = { current: this.#current.buffer, what, hangMs: HANG_MS };
    this.#worker = new Worker(WATCHDOG, { eval: true, workerData });
    this.#worker.unref();
  }

  begins(number: number): void {
    Atomics.store(this.#current, 0, number);
  }

  stop(): void {
    void this.#worker.terminate();
  }
}

/** By the processor's time: a machine with other work to do may stand still for minutes. */
const WATCHDOG = `
const { workerData: { current, what, hangMs } } = require('node:worker_threads');
const cases = new Int32Array(current);
const usedMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
let last = -1;
let since = usedMs();
setInterval(() => {
  const now = Atomics.load(cases, 0);
  if (now === last && usedMs() - since > hangMs) {
    require('node:fs').writeSync(2, 'a case hangs: npm run fuzz -- ' + what + ' --case ' + now + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }
  if (now !== last) since = usedMs();
  last = now;
}, 1000);
`;
