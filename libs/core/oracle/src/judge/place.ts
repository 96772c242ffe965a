import type { Findings, Violation } from './report.ts';

/** Rules that depend on the settings: judged by other ones, sound logs would break them. */
const BY_SETTINGS: ReadonlySet<string> = new Set(['V1', 'V2', 'V3', 'V4', 'V5', 'V11', 'I1', 'O2', 'O4', 'K8']);

/** One log, for a check that finds something wrong in it. */
export class Place {
  readonly topic: string;
  readonly partition: number;
  readonly #findings: Findings;
  readonly #knowsSettings: boolean;
  readonly #saidOf = new Set<string>();

  /** `knowsSettings`: by which settings the logs were written. */
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

  /** Whatever the settings were. */
  certain(rule: string, where: { readonly offset?: number; readonly key?: string; readonly what: string }): void {
    const { topic, partition } = this;
    const found: Violation = { rule, topic, partition, offset: where.offset, key: where.key, what: where.what };
    this.#findings.violation(found);
  }

  /** The first of each rule: one change of a setting shows in many. */
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
