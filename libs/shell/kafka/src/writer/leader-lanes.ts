// Sends batches outside transactions to the leaders of their partitions.
//
// Owns: what waits for a leader, one request at a time per leader.
// Does not own: trying again (the callers), encoding.
//
// Invariants
//   LN1  A batch is sent once; its promise says what came of it. Batches of one partition are sent in the order submitted.
//   LN2  What waits is bounded by the callers: each has a bounded number of batches under way.
import { Retriable, type DurationMs } from '@flatline/base';
import { KafkaCode, type KafkaConnection } from '../connection/index.ts';
import {
  decodeProduce,
  matchAnswers,
  type PartitionBatch,
  type ProduceAnswer,
  produceRequest,
  refusalOf,
} from './produce-request.ts';
import { partitionName } from './topic-groups.ts';

interface Waiting {
  readonly batch: PartitionBatch;
  readonly resolve: (answer: ProduceAnswer) => void;
  readonly reject: (error: unknown) => void;
}

export interface LeaderLanesOptions {
  readonly connection: KafkaConnection;
  readonly requestBytesMax: number;
  /** How long a leader may wait for its followers. */
  readonly acknowledgeMs: DurationMs;
}

/** Beyond what a leader may take, before it counts as silent. */
const ANSWER_MARGIN_MS: DurationMs = 1_000;

export class LeaderLanes {
  readonly #options: LeaderLanesOptions;
  readonly #busy = new Set<number>();
  #waiting: Waiting[] = [];
  #askingFor: Promise<unknown> | undefined;

  constructor(options: LeaderLanesOptions) {
    this.#options = options;
  }

  /**
   * @throws by the consequence of the leader's error code (`codeOf` tells it), Retriable where nothing was answered.
   */
  submit(batch: PartitionBatch): Promise<ProduceAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, resolve, reject });
      this.#pump();
    });
  }

  /** Rejects what waits; what is under way ends with the connection. */
  close(): void {
    for (const { batch, reject } of this.#waiting.splice(0))
      reject(new Retriable(`closed before ${partitionName(batch)} was written to`));
  }

  #pump(): void {
    const byLeader = Map.groupBy(this.#waiting, ({ batch }) => this.#options.connection.knownLeader(batch)?.nodeId);
    for (const [node, items] of byLeader) {
      if (node === undefined) this.#askForLeader(items[0]!);
      else if (!this.#busy.has(node)) void this.#sendNext(node, items);
    }
  }

  /** One question at a time: it brings the leaders of the whole topic, and the next pump asks what is still open. */
  #askForLeader({ batch }: Waiting): void {
    if (this.#askingFor !== undefined) return;
    this.#askingFor = this.#options.connection
      .leader(batch)
      .catch((error: unknown) => {
        this.#rejectAll(partitionName(batch), error);
      })
      .finally(() => {
        this.#askingFor = undefined;
        this.#pump();
      });
  }

  #rejectAll(name: string, error: unknown): void {
    const concerned = this.#waiting.filter(({ batch }) => partitionName(batch) === name);
    this.#remove(concerned);
    for (const { reject } of concerned) reject(error);
  }

  async #sendNext(node: number, candidates: readonly Waiting[]): Promise<void> {
    const items = this.#cut(candidates);
    this.#remove(items);
    this.#busy.add(node);
    try {
      const answers = await this.#send(node, items);
      items.forEach((item, index) => {
        this.#answer(item, answers[index]!);
      });
    } catch (error) {
      for (const { batch, reject } of items) {
        this.#options.connection.forgetLeaders(batch.topic);
        reject(error);
      }
    } finally {
      this.#busy.delete(node);
      this.#pump();
    }
  }

  /** One batch per partition, as many as fit one request, at least one. */
  #cut(candidates: readonly Waiting[]): readonly Waiting[] {
    const chosen = new Map<string, Waiting>();
    let room = this.#options.requestBytesMax;
    for (const item of candidates) {
      const name = partitionName(item.batch);
      if (chosen.has(name)) continue;
      room -= item.batch.bytes.length;
      if (room < 0 && chosen.size > 0) break;
      chosen.set(name, item);
    }
    return [...chosen.values()];
  }

  async #send(node: number, items: readonly Waiting[]): Promise<readonly ProduceAnswer[]> {
    const { connection, acknowledgeMs } = this.#options;
    const batches = items.map(({ batch }) => batch);
    const request = produceRequest(batches, { transactionalId: null, acknowledgeMs });
    const doing = `write to ${batches.map(partitionName).slice(0, 3).join(', ')}`;
    const timeoutMs = acknowledgeMs + ANSWER_MARGIN_MS;
    return matchAnswers(batches, await connection.send(node, request, decodeProduce, { doing, timeoutMs }));
  }

  #answer({ batch, resolve, reject }: Waiting, answer: ProduceAnswer): void {
    if (answer.errorCode === KafkaCode.none) {
      resolve(answer);
      return;
    }
    const error = refusalOf(answer, batch, `write to ${partitionName(batch)}`);
    if (error instanceof Retriable) this.#options.connection.forgetLeaders(batch.topic);
    reject(error);
  }

  #remove(items: readonly Waiting[]): void {
    const gone = new Set(items);
    this.#waiting = this.#waiting.filter((item) => !gone.has(item));
  }
}
