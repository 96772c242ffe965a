// The form of the site computes what the page of capacity says.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';

interface Capacity {
  readonly cores: number;
  readonly instances: number;
  readonly memory: number;
  readonly changelog: number;
  readonly changelogKept: number;
  readonly output: number;
  readonly network: number;
  readonly brokerDisk: number;
  readonly commits: number;
  readonly requests: number;
  readonly restoreS: number;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const page = readFileSync(`${root}docs/CAPACITY.md`, 'utf8');
const given = { S: 15e6, H: 500e3, C: 4_000, K: 36, P: 32, T: 115, R: 3, L: 0.5 };
let capacityOf: (given: object) => Capacity;

beforeAll(() => {
  const context = createContext({});
  runInContext(readFileSync(`${root}docs/site/capacity.js`, 'utf8'), context);
  capacityOf = (context as { capacityOf: typeof capacityOf }).capacityOf;
});

const digits = (value: number): string => String(Number(value.toPrecision(2)));

describe("the form of capacity, with the page's own figures,", () => {
  test.each<[keyof Capacity, number, (figure: string) => string]>([
    ['cores', 1, (figure) => `**${figure} cores**`],
    ['instances', 1, (figure) => `**${figure} instances**`],
    ['memory', 1e9, (figure) => `S · m = ${figure} GB`],
    ['changelog', 1e6, (figure) => `H · i = **${figure} MB/s**`],
    ['output', 1e6, (figure) => `C · o = ${figure} MB/s`],
    ['network', 1e6, (figure) => `a second time: **${figure} MB/s**`],
    ['brokerDisk', 1e6, (figure) => `The brokers write ${figure} MB/s`],
    ['commits', 1, (figure) => `P / T = ${figure} transactions a second`],
    ['requests', 1, (figure) => `some **${Number(figure).toLocaleString('en').replace(',', ' ')} requests`],
  ])('says of %s what the page says', (name, unit, words) => {
    expect(page).toContain(words(digits(capacityOf(given)[name] / unit)));
  });

  test('keeps of the changelog what is above its floor and what waits', () => {
    const { changelogKept } = capacityOf(given);
    const above = Number(/4 · S · b = \*\*([\d.]+) GB\*\*/.exec(page)![1]);
    const waits = Number(/P · `truncateLagBytes` = ([\d.]+) GB/.exec(page)![1]);
    expect(changelogKept / 1e9).toBeCloseTo(above + waits, 0);
  });

  test('takes twice as much for twice as much', () => {
    const [once, twice] = [capacityOf(given), capacityOf({ ...given, S: 30e6, H: 1e6, C: 8_000, P: 64 })];
    for (const name of ['cores', 'memory', 'changelog', 'network', 'commits'] as const)
      expect(twice[name] / once[name]).toBeCloseTo(2);
  });
});
