// How a running task learns that its input is silent: from a clock record that it reads back (C2), or, where the input may
// not be written, from the input's end (C3).
//
// Owns: the request under way.
// Does not own: when something is due and what closes (PartitionTask), when to look (TaskLoop), the estimates of the log's
// present (Prover, FetchProof).
import type { Clock, DurationMs, Millis } from '@flatline/base';
import type { PartitionTask } from '@flatline/partition';
import type { LogAdmin, ProofWriter, FetchedRecords, TopicPartition } from '@flatline/ports';
import type { FetchProof } from './fetch-proof.ts';
import { OwnDelay } from './own-delay.ts';
import type { ProofAdvice, Prover, Silence } from './prover.ts';
import type { RuntimeLog } from '../settings.ts';

export interface SilenceProof {
  /** Records have come. `wasCaughtUp`: all before them had been read. */
  arrived(fetched: FetchedRecords, wasCaughtUp: boolean): void;
  /** All of them are applied. */
  applied(fetched: FetchedRecords): void;
  /** Records came that are older than what the clock has acted on. */
  distrust(): void;
  /** How far the clock may act without a record that says so, now that all below `position` is applied. Told once. */
  evidence(position: number): Millis | undefined;
  advise(silence: Silence, monotonicNow: DurationMs): ProofAdvice;
  /** Since when something that is in the log for certain is still to be read (monotonic); undefined: nothing is. */
  readonly owedSinceMs: DurationMs | undefined;
  /** As advised. Resolves when the request is answered or has failed, which is logged. */
  ask(timestamp: Millis | undefined): Promise<void>;
}

interface ClockRecordPorts {
  readonly clock: Clock;
  readonly proofs: ProofWriter;
  readonly log: RuntimeLog;
}

interface ClockRecordParts {
  readonly input: TopicPartition;
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  readonly ports: ClockRecordPorts;
}

interface EndPorts {
  readonly clock: Clock;
  readonly admin: LogAdmin;
  readonly log: RuntimeLog;
}

interface EndParts {
  readonly input: TopicPartition;
  readonly ports: EndPorts;
  readonly task: PartitionTask;
}

/** C2: the clock moves by records only. */
export class ProofByClockRecord implements SilenceProof {
  readonly #parts: ClockRecordParts;
  readonly #prover: Prover;
  #arrivals = 0;
  #owedSinceMs: DurationMs | undefined;

  constructor(parts: ClockRecordParts, prover: Prover) {
    this.#parts = parts;
    this.#prover = prover;
  }

  /** Records that came while all before was read were appended just now; any others may be old when they arrive. */
  arrived({ cursor, nextOffset, receivedAtMs }: FetchedRecords, wasCaughtUp: boolean): void {
    const isRecent = wasCaughtUp || this.#parts.timestampType === 'CreateTime';
    this.#prover.heard({ from: cursor.position, to: nextOffset, receivedAtMs, isRecent });
    this.#arrivals += 1;
    this.#owedSinceMs = undefined;
  }

  get owedSinceMs(): DurationMs | undefined {
    return this.#owedSinceMs;
  }

  applied(): void {
    // A record says all there is to say.
  }

  distrust(): void {
    // It never acts on anything but records.
  }

  evidence(): undefined {
    return undefined;
  }

  advise(silence: Silence, monotonicNow: DurationMs): ProofAdvice {
    return this.#prover.advise(silence, monotonicNow);
  }

  async ask(timestamp: Millis | undefined): Promise<void> {
    const { ports, input } = this.#parts;
    const asked = this.#prover.asked(ports.clock.monotonicMs());
    const arrivals = this.#arrivals;
    const ownDelay = new OwnDelay(ports.clock);
    try {
      const offset = await ports.proofs.append(input, timestamp);
      const now = ports.clock.monotonicMs();
      this.#prover.written(asked, offset, now, ownDelay.end());
      // It may have been read before its writer heard that it is written.
      if (this.#arrivals === arrivals) this.#owedSinceMs ??= now;
    } catch (error) {
      ownDelay.end();
      this.#prover.failed(asked);
      ports.log.warn('clock record not written; trying again', { ...input, error });
    }
  }
}

/** C3: the clock acts on the end of the input, once all below it is applied. */
export class ProofByEnd implements SilenceProof {
  readonly #parts: EndParts;
  readonly #fetchProof: FetchProof;
  #owedSinceMs: DurationMs | undefined;

  constructor(parts: EndParts, fetchProof: FetchProof) {
    this.#parts = parts;
    this.#fetchProof = fetchProof;
  }

  arrived(): void {
    // The evidence of records shows when they are applied.
  }

  applied(fetched: FetchedRecords): void {
    // A marker's stamp counts only as far as records go: it was never checked (C6).
    const appendedAt = Math.min(fetched.cursor.batchTimestamp, this.#parts.task.clock.now);
    this.#fetchProof.heard({ appendedAt, receivedAtMs: fetched.receivedAtMs });
  }

  distrust(): void {
    this.#fetchProof.distrust();
  }

  get owedSinceMs(): DurationMs | undefined {
    return this.#owedSinceMs;
  }

  evidence(position: number): Millis | undefined {
    const evidence = this.#fetchProof.take(position);
    if (evidence !== undefined) this.#owedSinceMs = undefined;
    return evidence;
  }

  advise(silence: Silence, monotonicNow: DurationMs): ProofAdvice {
    return this.#fetchProof.advise(silence, monotonicNow);
  }

  async ask(): Promise<void> {
    const { ports, input } = this.#parts;
    this.#fetchProof.asked(ports.clock.monotonicMs());
    try {
      this.#fetchProof.answered(await ports.admin.replicatedEnd(input));
      this.#owedSinceMs ??= ports.clock.monotonicMs();
    } catch (error) {
      this.#fetchProof.answered(undefined);
      this.#owedSinceMs = undefined;
      ports.log.warn('the end of the input is not known; asking again', { ...input, error });
    }
  }
}
