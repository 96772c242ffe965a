import type { Findings, Violation } from './report.ts';

/** One log, for a check that finds something wrong in it. */
export class Place {
  readonly topic: string;
  readonly partition: number;
  readonly #findings: Findings;

  constructor(topic: string, partition: number, findings: Findings) {
    this.topic = topic;
    this.partition = partition;
    this.#findings = findings;
  }

  violation(rule: string, where: { readonly offset?: number; readonly key?: string; readonly what: string }): void {
    const { topic, partition } = this;
    const found: Violation = { rule, topic, partition, offset: where.offset, key: where.key, what: where.what };
    this.#findings.violation(found);
  }

  undecided(what: string): void {
    this.#findings.undecided(`${this.topic}-${this.partition}: ${what}`);
  }
}
