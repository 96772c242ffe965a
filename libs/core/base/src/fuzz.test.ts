import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fuzz } from './fuzz.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-fuzz-'));
const regressions = pathToFileURL(join(folder, 'regressions.txt'));
const corpus = [new TextEncoder().encode('{"name":"value"}')];
const KEYS = ['SEED', 'RUNS', 'TARGET', 'CASE', 'KEEP'].map((name) => `FLATLINE_FUZZ_${name}`);
const before = KEYS.map((key) => [key, process.env[key]] as const);
afterEach(() => {
  for (const [key, value] of before)
    if (value === undefined) Reflect.deleteProperty(process.env, key);
    else process.env[key] = value;
  rmSync(regressions, { force: true });
});

function run(feed: (bytes: Uint8Array) => void, cases = 500): Error | undefined {
  try {
    fuzz({ name: 'base/self', corpus, regressions, feed }, cases);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** A decoder that takes 0xff for its end. */
const fragile = (bytes: Uint8Array): void => {
  if (bytes.includes(0xff)) throw new RangeError('out of range');
};

describe('the fuzzer', () => {
  test('says which case failed and how to run it again, and that one alone fails again', () => {
    const failure = run(fragile);
    const [, number, seed] = /--target base\/self --seed (?=\d+ --case (\d+))(\d+)/.exec(failure?.message ?? '') ?? [];
    expect(failure?.cause).toEqual(new RangeError('out of range'));
    process.env['FUZZ_SEED'] = seed!;
    process.env['FLATLINE_FUZZ_CASE'] = number!;
    const fed: number[] = [];
    const again = run((bytes) => {
      fed.push(bytes.length);
      fragile(bytes);
    });
    expect(again?.message).toBe(failure?.message);
    expect(fed).toHaveLength(1);
  });

  test('makes the same cases of the same seed, others of another, and leaves the corpus as it is', () => {
    const casesOf = (seed: number): string[] => {
      process.env['FUZZ_SEED'] = String(seed);
      const fed: string[] = [];
      run((bytes) => fed.push(Buffer.from(bytes).toString('hex')));
      return fed;
    };
    const first = casesOf(1);
    expect(casesOf(1)).toEqual(first);
    expect(casesOf(2)).not.toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(400);
    expect(corpus).toEqual([new TextEncoder().encode('{"name":"value"}')]);
  });

  test('keeps a case that failed, and feeds it first ever after', () => {
    process.env['FLATLINE_FUZZ_KEEP'] = '1';
    run(fragile);
    const kept = readFileSync(regressions, 'utf8');
    Reflect.deleteProperty(process.env, 'FLATLINE_FUZZ_KEEP');
    let fed = 0;
    const again = run((bytes) => {
      fed += 1;
      fragile(bytes);
    });
    expect(again?.message).toContain('regression in line 1');
    expect(fed).toBe(1);
    expect(readFileSync(regressions, 'utf8')).toBe(kept);
  });

  test('[X6] takes a case that allocates without bound for a failure', () => {
    const held: Uint8Array[] = [];
    const failure = run(() => {
      if (held.length === 0) held.push(new Uint8Array(300 * 1024 * 1024));
    });
    expect(failure?.cause).toMatchObject({ message: expect.stringContaining('made it allocate') });
  });
});
