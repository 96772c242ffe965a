// What a notifier or a user's sink says was delivered to webhooks, against the committed output (V10).
//
// Owns: the ids delivered, and what has been seen of each.      Does not own: whether the closes are right (OutputCheck),
// whether each close was delivered: that nobody promises.
//
// Invariants
//   DC1  Memory grows with the ids of the ledger, not with their payloads.
import { hashBytes } from '@flatline/base';
import { summaryText } from '../rules/session/expected-close.ts';
import type { LogSource, OutputRecord, PartitionHistory } from '../logs/history.ts';
import type { Findings } from './report.ts';

/** One attempt to deliver a close, as a line of a ledger of deliveries has it (docs/FORMATS.md, Deliveries). */
export interface Delivery {
  /** `<incarnation>/<revision>` (O3). */
  readonly id: string;
  /** As it was sent. */
  readonly payload: Uint8Array;
  /** From 1. */
  readonly attempt: number;
  /** Where in the ledger, from 1. */
  readonly line: number;
}

interface Delivered {
  /** Of the payload first sent, by its bytes and by what it says; undefined: it is no JSON object. */
  readonly bytes: string;
  readonly content: string | undefined;
  readonly line: number;
  readonly attempt: number;
  /** The first line with another payload. */
  otherLine: number | undefined;
  /** Where the close is on the output; undefined: it was not met. */
  place: { readonly partition: number; readonly offset: number; readonly isSame: boolean } | undefined;
}

const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder();
/** Two 32-bit hashes and the length tell payloads apart that differ by mistake. */
const SEEDS = [0x64656c69, 0x76657279] as const;

export class DeliveryCheck {
  readonly #delivered = new Map<string, Delivered>();
  readonly #findings: Findings;
  #topic = '';
  /** Partitions whose output is there from its beginning. */
  readonly #whole = new Map<number, boolean>();

  private constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Takes in the whole ledger. To be called before the ends of the logs are chosen: what was delivered was committed before. */
  static async of(
    deliveries: AsyncIterable<Delivery> | Iterable<Delivery>,
    findings: Findings,
  ): Promise<DeliveryCheck> {
    const check = new DeliveryCheck(findings);
    for await (const delivery of deliveries) check.#add(delivery);
    return check;
  }

  /** The same history; what is read of its output is looked up in the ledger. */
  watch(history: PartitionHistory): PartitionHistory {
    const { partition, output } = history;
    this.#topic = output.topic;
    this.#whole.set(partition, output.start === 0);
    const read = async (): ReturnType<LogSource<OutputRecord>['read']> => {
      const part = await output.read();
      for (const record of part?.records ?? []) this.#met(partition, record);
      return part;
    };
    return { ...history, output: { ...output, read } };
  }

  finish(): void {
    for (const [id, delivered] of this.#delivered) this.#judge(id, delivered);
  }

  #add({ id, payload, attempt, line }: Delivery): void {
    const { reach } = this.#findings;
    reach.deliveries += 1;
    const bytes = digestOf(payload);
    const former = this.#delivered.get(id);
    if (former === undefined) {
      const content = contentOf(payload);
      this.#delivered.set(id, { bytes, content, line, attempt, otherLine: undefined, place: undefined });
      return;
    }
    reach.redeliveries += 1;
    if (former.bytes !== bytes) former.otherLine ??= line;
  }

  #met(partition: number, { offset, summary }: OutputRecord): void {
    if (summary === undefined) return;
    const delivered = this.#delivered.get(`${String(summary['incarnation'])}/${String(summary['revision'])}`);
    if (delivered === undefined || delivered.place !== undefined) return;
    const isSame = delivered.content === digestOf(utf8.encode(summaryText(summary)));
    delivered.place = { partition, offset, isSame };
  }

  #judge(id: string, { line, attempt, otherLine, content, place }: Delivered): void {
    if (otherLine !== undefined)
      this.#violation(id, place, `was delivered with another payload in line ${otherLine} than in line ${line}`);
    if (place === undefined) this.#notMet(id, line, attempt);
    else if (content === undefined)
      this.#violation(id, place, `its payload in line ${line} is no JSON object: it must be the summary`);
    else if (!place.isSame)
      this.#violation(id, place, `its payload in line ${line} is not the summary that was committed`);
  }

  #notMet(id: string, line: number, attempt: number): void {
    const partition = partitionOf(id);
    if (partition !== undefined && this.#whole.get(partition) === false)
      this.#findings.undecided(
        `${this.#topic}-${partition}: whether deliveries are of committed closes: the output no longer has its beginning`,
      );
    else this.#violation(id, undefined, `was delivered (line ${line}, attempt ${attempt}), and was never committed`);
  }

  #violation(id: string, place: Delivered['place'], what: string): void {
    this.#findings.violation({
      ...{ rule: 'V10', topic: this.#topic, key: undefined, what: `the close ${id} ${what}` },
      partition: place?.partition ?? partitionOf(id),
      offset: place?.offset,
    });
  }
}

function partitionOf(id: string): number | undefined {
  const found = /(\d+)-\d+\/\d+$/.exec(id);
  return found === null ? undefined : Number(found[1]);
}

function digestOf(bytes: Uint8Array): string {
  return [bytes.length, ...SEEDS.map((seed) => hashBytes(bytes, 0, bytes.length, seed))].join(' ');
}

function contentOf(payload: Uint8Array): string | undefined {
  try {
    const parsed = JSON.parse(utf8Reader.decode(payload)) as unknown;
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    return digestOf(utf8.encode(summaryText(parsed as Record<string, unknown>)));
  } catch {
    return undefined; // no JSON, which is said of it
  }
}
