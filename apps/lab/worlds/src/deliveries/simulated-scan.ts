import type { SimulatedLog } from '@flatline/cluster';
import type { CommittedScan, LogAdmin, LogReader, TopicPartition } from '@flatline/ports';

type Read = Awaited<ReturnType<CommittedScan['read']>>;

/** Over the ports of a process: with their delays and losses. */
export class SimulatedScan implements CommittedScan {
  readonly #reader: LogReader;
  readonly #admin: Pick<LogAdmin, 'ends'>;

  readonly #log: SimulatedLog;

  constructor(reader: LogReader, admin: Pick<LogAdmin, 'ends'>, log: SimulatedLog) {
    this.#reader = reader;
    this.#log = log;
    this.#admin = admin;
  }

  async bounds(place: TopicPartition): ReturnType<CommittedScan['bounds']> {
    const ends = await this.#admin.ends(place);
    const { highWatermark } = this.#log.partition(place.topic, place.partition).ends();
    return { ...ends, highWatermark };
  }

  read(log: TopicPartition, offset: number): Promise<Read> {
    const subscription = this.#reader.subscribe(log, offset);
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const fetched = subscription.take();
        const { failure } = subscription;
        if (fetched === undefined && failure === undefined) return;
        subscription.onChange(undefined);
        subscription.close();
        if (fetched === undefined) reject(failure!);
        else resolve(fetched);
      };
      subscription.onChange(look);
      look();
    });
  }
}
