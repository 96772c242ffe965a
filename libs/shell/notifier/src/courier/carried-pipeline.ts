// One pipeline's outputs to their endpoints, as far as they are this process's: who carries which partition.
//
// Owns: the membership of its group, the couriers.
// Does not own: connections, gates and senders (the caller's).
import type { Clock, Random } from '@flatline/base';
import type { NotifiedPipeline } from '@flatline/config';
import type { Assignment, CommittedScan, LogAdmin, LogReader, Membership, TransactionalWriters } from '@flatline/ports';
import type { NotifierLog, Way } from './carried.ts';
import { Courier } from './courier.ts';
import type { EndpointStatus } from './courier-run.ts';
import type { KeptState } from './restoration.ts';

export interface DeliveryStatus extends EndpointStatus {
  readonly pipeline: string;
  readonly partition: number;
}

export interface CarriedPipelineParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: NotifierLog;
  readonly notified: NotifiedPipeline;
  /** To its endpoints. */
  readonly ways: readonly Way[];
  readonly membership: Membership;
  readonly reader: LogReader;
  readonly writers: TransactionalWriters;
  readonly admin: Pick<LogAdmin, 'committedOffset' | 'ends'>;
  readonly scan: CommittedScan;
  /** Where a partition begins that the group has no offset of. */
  readonly startFrom: 'earliest' | 'latest';
  readonly readState: (partition: number, end: AbortSignal) => Promise<KeptState>;
  /** Its deliveries cannot go on. */
  readonly onFailure: (error: Error) => void;
}

export class CarriedPipeline {
  readonly #parts: CarriedPipelineParts;
  readonly #couriers = new Map<number, Courier>();
  readonly #leaving = new Map<number, Promise<void>>();
  #closed = false;

  constructor(parts: CarriedPipelineParts) {
    this.#parts = parts;
    parts.membership
      .start({
        assigned: this.#assigned,
        // Its partitions are fenced by whoever gets them.
        lost: () => undefined,
        failed: parts.onFailure,
      })
      // `failed` was told.
      .catch(() => undefined);
  }

  status(): readonly DeliveryStatus[] {
    const pipeline = this.#parts.notified.pipeline.name;
    return [...this.#couriers].flatMap(([partition, courier]) =>
      courier.endpoints.map((endpoint) => ({ pipeline, partition, ...endpoint })),
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const partition of [...this.#couriers.keys()]) this.#giveBack(partition);
    await Promise.all(this.#leaving.values());
    await this.#parts.membership.leave();
  }

  readonly #assigned = ({ partitions }: Assignment): void => {
    if (this.#closed) return;
    for (const partition of [...this.#couriers.keys()]) if (!partitions.includes(partition)) this.#giveBack(partition);
    for (const partition of partitions)
      if (!this.#couriers.has(partition)) this.#couriers.set(partition, this.#open(partition));
  };

  #giveBack(partition: number): void {
    const courier = this.#couriers.get(partition)!;
    this.#couriers.delete(partition);
    const left = courier.close().then(() => {
      this.#leaving.delete(partition);
    });
    this.#leaving.set(partition, left);
  }

  #open(partition: number): Courier {
    const { notified, membership } = this.#parts;
    return new Courier({
      ...this.#parts,
      partition,
      transactionalId: `${notified.application}.${notified.pipeline.name}.notifier.${partition}`,
      isOurs: async () => (await membership.confirm())?.partitions.includes(partition) ?? false,
    });
  }
}
