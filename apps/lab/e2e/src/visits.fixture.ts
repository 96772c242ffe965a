// A pipeline whose closed sessions are told more: each gives a summary, perhaps a revision, and at last a tombstone.
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { succeed } from './flatline.fixture.ts';
import { Scenario } from './scenario.fixture.ts';

export class Visits {
  readonly scenario: Scenario;
  readonly #rows: string;

  private constructor(scenario: Scenario, rows: string) {
    this.scenario = scenario;
    this.#rows = rows;
  }

  /** With topics. */
  static async create(revisionWindowMs: number, partitions: number): Promise<Visits> {
    const scenario = Scenario.unprovisioned({ timeoutMs: 60_000, partitions });
    const topic = `${scenario.application}-rows`;
    const rows = { topic, touches: false, unknownKey: 'deadLetter' };
    scenario.configure({ input: [{ topic: scenario.input }, rows], revisionWindowMs } as object);
    const { config } = scenario;
    await succeed(['topics', 'create', '--config', config, '--partitions', String(partitions), '--replication', '1']);
    return new Visits(scenario, topic);
  }

  /** Sessions that are over as soon as they have begun. */
  async sessions(keys: readonly string[]): Promise<void> {
    await this.#send(
      this.scenario.input,
      (key) => [
        { key, value: Buffer.from('') },
        { key, value: null },
      ],
      keys,
    );
  }

  /** A row for each, which revises it. */
  async tell(keys: readonly string[]): Promise<void> {
    const value = (key: Uint8Array): Buffer =>
      Buffer.from(JSON.stringify({ attributes: { row: `of ${Buffer.from(key).toString()}` } }));
    await this.#send(this.#rows, (key) => [{ key, value: value(key) }], keys);
  }

  async #send(topic: string, records: (key: Uint8Array) => readonly Sent[], keys: readonly string[]): Promise<void> {
    const connection = openCluster(this.scenario.kafka);
    try {
      const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
      await producer.send(keys.flatMap((key) => records(Buffer.from(key))));
      await producer.close();
    } finally {
      connection.close();
    }
  }

  /** Resolves once that many summaries, revisions among them, were said. */
  async said(count: number): Promise<void> {
    await this.#outputs('summary', count);
  }

  /** Resolves once so many sessions are final. */
  async final(count: number): Promise<void> {
    await this.#outputs('tombstone', count);
  }

  async #outputs(kind: 'summary' | 'tombstone', count: number): Promise<void> {
    let left = count;
    await this.scenario.following((record) => record.kind === kind && (left -= 1) === 0);
  }
}

interface Sent {
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}
