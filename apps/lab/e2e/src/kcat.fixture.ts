// kcat: a Kafka client that is not ours (librdkafka, C), used like a foreign application.
import { describe, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { launch, type Running } from './child.fixture.ts';

/** A record as `kcat -J` prints it. */
export interface KcatRecord {
  readonly partition: number;
  readonly offset: number;
  readonly ts: number;
  readonly tstype: string;
  readonly headers?: readonly string[];
  readonly key: string | null;
  readonly payload: string | null;
}

/** A record to produce: a value of `null` is Kafka's null. Neither holds a tab or a newline. */
export interface Line {
  readonly key: string;
  readonly value: string | null;
}

const MISSING = 'kcat is not on the PATH: apt-get install kcat (Debian, Ubuntu), brew install kcat';

/** `describe`, of tests that need kcat. Without it they are reported as not run on a contributor's machine; CI, which installs it, fails. */
export function describeWithKcat(what: string, tests: () => void): void {
  if (spawnSync('kcat', ['-V']).error === undefined) describe(what, tests);
  else
    test(`not run: ${what}: ${MISSING}`, () => {
      if (process.env['CI'] !== undefined) throw new Error(MISSING);
      process.stderr.write(`not run: ${what}: ${MISSING}\n`);
    });
}

export class Kcat {
  readonly #brokers: string;

  constructor(brokers: readonly string[]) {
    this.#brokers = brokers.join(',');
  }

  /** Produces the records in their order; resolves when all are acknowledged. */
  async produce(topic: string, lines: readonly Line[], ...flags: readonly string[]): Promise<void> {
    // -Z turns every empty value into null, so that the two kinds need separate calls.
    for (const run of runsOf(lines)) {
      const args = ['-P', '-t', topic, '-K', '\t', ...(run[0]!.value === null ? ['-Z'] : []), ...flags];
      await this.#succeed(args, textOf(run));
    }
  }

  /**
   * A producer whose transaction stays open. kcat reads its input in blocks of some thousand characters: the last lines
   * wait for more and are not sent.
   */
  produceOpen(topic: string, transactionalId: string, lines: readonly Line[]): Running {
    const args = ['-b', this.#brokers, '-P', '-t', topic, '-K', '\t', '-X', `transactional.id=${transactionalId}`];
    return launch('kcat', args, { input: { text: textOf(lines), ends: false } });
  }

  /** `count` records from the beginning, by partition and offset; waits until there are that many. */
  first(topic: string, count: number, isolation: 'read_committed' | 'read_uncommitted'): Promise<KcatRecord[]> {
    return this.#consume(topic, isolation, '-c', String(count));
  }

  /** All present records, by partition and offset. */
  all(topic: string): Promise<KcatRecord[]> {
    return this.#consume(topic, 'read_committed', '-e');
  }

  async #consume(topic: string, isolation: string, ...flags: readonly string[]): Promise<KcatRecord[]> {
    const args = ['-C', '-t', topic, '-o', 'beginning', '-J', '-q', '-X', `isolation.level=${isolation}`, ...flags];
    const { stdout } = await this.#succeed(args);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as KcatRecord)
      .sort((a, b) => a.partition - b.partition || a.offset - b.offset);
  }

  async #succeed(args: readonly string[], text = ''): Promise<{ readonly stdout: string }> {
    const running = launch('kcat', ['-b', this.#brokers, ...args], { input: { text, ends: true } });
    const { code, stdout, stderr } = await running.finished;
    if (code !== 0) throw new Error(`kcat ${args.join(' ')} ended with ${code}\n${stderr}`);
    return { stdout };
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ key, value }) => `${key}\t${value ?? ''}\n`).join('');
}

function runsOf(lines: readonly Line[]): Line[][] {
  const runs: Line[][] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last !== undefined && (last[0]!.value === null) === (line.value === null)) last.push(line);
    else runs.push([line]);
  }
  return runs;
}
