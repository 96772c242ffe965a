import type { Findings, Violation } from './report.ts';

/** Rules whose outcome depends on the settings: sound logs judged by other settings would break them. */
const BY_SETTINGS: ReadonlySet<string> = new Set(['V1', 'V2', 'V3', 'V4', 'V5', 'V11', 'I1', 'O2', 'O4', 'K8', 'P3']);

/** One log, as the place that a check's findings name. */
export class Place {
  readonly topic: string;
  readonly partition: number;
  readonly #findings: Findings;
  readonly #knowsSettings: boolean;
  readonly #saidOf = new Set<string>();

  /** `knowsSettings`: whether the settings that the logs were written with are known. */
  constructor(topic: string, partition: number, findings: Findings, knowsSettings = true) {
    this.#knowsSettings = knowsSettings;
    this.topic = topic;
    this.partition = partition;
    this.#findings = findings;
  }

  violation(rule: string, where: { readonly offset?: number; readonly key?: string; readonly what: string }): void {
    if (!this.#knowsSettings && BY_SETTINGS.has(rule)) this.#unknown(rule, where);
    else this.certain(rule, where);
  }

  /** Reports a violation that holds whatever the settings were. */
  certain(rule: string, where: { readonly offset?: number; readonly key?: string; readonly what: string }): void {
    const { topic, partition } = this;
    const found: Violation = { rule, topic, partition, offset: where.offset, key: where.key, what: where.what };
    this.#findings.violation(found);
  }

  /** Lists the first of each rule only: one changed setting shows in many places. */
  #unknown(
    rule: string,
    { offset, key, what }: { readonly offset?: number; readonly key?: string; readonly what: string },
  ): void {
    if (this.#saidOf.has(rule)) return;
    this.#saidOf.add(rule);
    const at = [...(offset === undefined ? [] : [`offset ${offset}`]), ...(key === undefined ? [] : [`key ${key}`])];
    this.undecided(
      `whether it breaks ${rule} by the settings of then; ${rule} by the settings of today: ${[...at, what].join(' ')}`,
    );
  }

  undecided(what: string): void {
    this.#findings.undecided(`${this.topic}-${this.partition}: ${what}`);
  }
}
