import { type Clock } from '@flatline/base';
import { codeOf, KafkaCode, type KafkaConnection } from '../connection/index.ts';
import { patiently, type Patience } from '@flatline/system';

/** The first group of a new cluster makes the broker create its offsets topic, which takes a second or two. */
const STARTING: Patience = { firstMs: 20, mostMs: 200, limitMs: 5_000 };

/** Which node coordinates a group, asked once and kept until a request to it failed. One entry per pipeline. */
export class GroupCoordinators {
  readonly #clock: Clock;
  readonly #connection: KafkaConnection;
  readonly #known = new Map<string, Promise<number>>();

  constructor(clock: Clock, connection: KafkaConnection) {
    this.#clock = clock;
    this.#connection = connection;
  }

  /** @throws Retriable, Fatal. */
  find(group: string): Promise<number> {
    const known = this.#known.get(group);
    if (known !== undefined) return known;
    const asked = patiently(
      this.#clock,
      STARTING,
      () => this.#connection.coordinator('group', group),
      (error) => codeOf(error) === KafkaCode.coordinatorNotAvailable,
    );
    this.#known.set(group, asked);
    return asked;
  }

  forget(group: string): void {
    this.#known.delete(group);
  }
}
