// Says that sessions live: the producing half of the SDK, over an idempotent producer of one input topic.
//
// Owns: the encoding of values, the choice of partition by key.
// Does not own: the connection (its opener's), batching, sending again (BatchProducer).
//
// Invariants
//   HP1  Records of one session id reach the log in the order of the calls, each once (KIP-98).
//   HP2  A call that returns nothing has taken the record; a call that returns a promise has, too, and asks the caller to
//        await it before the next call: that is what bounds memory.
//   HP3  A record that its topic does not take is refused alone: at the call where the topic's limit is known, else told of once.
import { type Clock, type DurationMs, type Millis, partitionOf } from '@flatline/base';
import {
  type EventEncoder,
  type Format,
  openEventEncoder,
  type OutgoingEvent,
  type SchemaRegistry,
} from '@flatline/records';
import { BatchProducer, type KafkaConnection } from '@flatline/kafka';
import { checkEvent, checkSessionId } from './known-options.ts';

/** A session id: text becomes UTF-8, bytes stay as they are. */
export type SessionId = string | Uint8Array;

/** A record's value, or what is encoded as it. */
export type Said = 'beat' | 'end' | OutgoingEvent;

export interface HeartbeatProducerOptions {
  readonly clock: Clock;
  /** Not closed by the producer. */
  readonly connection: KafkaConnection;
  readonly topic: string;
  /** How values of `event` are written. Default `json`; bare heartbeats have no value in either. */
  readonly format?: Format;
  /** Needed for Avro. */
  readonly registry?: SchemaRegistry | undefined;
  /** How long a record that is not acknowledged is sent again before the producer fails. In milliseconds; default 120 000. */
  readonly deliveryTimeoutMs?: DurationMs | undefined;
  /** Told of every batch that is in the log; of one partition in the order of the calls. */
  readonly onAcknowledged?: (partition: number, recordCount: number) => void;
  /** Told of a record that the topic has refused for its size after the call took it. Default: `flush` and `close` reject with it. */
  readonly onRefused?: ((error: Error) => void) | undefined;
}

const NOTHING = new Uint8Array(0);
const utf8 = new TextEncoder();

/** @throws Fatal where the topic does not exist, or Avro has no registry; Retriable where broker or registry do not answer. */
export async function openHeartbeatProducer(options: HeartbeatProducerOptions): Promise<HeartbeatProducer> {
  const { clock, connection, topic, format = 'json', registry, deliveryTimeoutMs } = options;
  const { onAcknowledged, onRefused } = options;
  let refusal: Error | undefined;
  const encoder = await openEventEncoder(format, topic, registry);
  const producer = await BatchProducer.open({
    clock,
    connection,
    topic,
    ...(deliveryTimeoutMs !== undefined && { deliveryTimeoutMs }),
    ...(onAcknowledged && {
      onAcknowledged: (partition: number, _baseOffset: number, recordCount: number) => {
        onAcknowledged(partition, recordCount);
      },
    }),
    onTooLarge: (_partition, error) => {
      if (onRefused === undefined) refusal ??= error;
      // What it throws is no failure of the producer's.
      else
        queueMicrotask(() => {
          onRefused(error);
        });
    },
  });
  return new HeartbeatProducer(producer, encoder, () => {
    const told = refusal;
    refusal = undefined;
    if (told !== undefined) throw told;
  });
}

/**
 * `timestamp` is for topics with `message.timestamp.type=CreateTime`, where the record's time is the producer's: default
 * now. On `LogAppendTime` topics the broker's replaces it.
 */
export class HeartbeatProducer {
  readonly #producer: BatchProducer;
  readonly #encoder: EventEncoder;
  readonly #checkRefused: () => void;

  /** `checkRefused`: throws what was refused and not told of. */
  constructor(producer: BatchProducer, encoder: EventEncoder, checkRefused: () => void) {
    this.#producer = producer;
    this.#encoder = encoder;
    this.#checkRefused = checkRefused;
  }

  get partitionCount(): number {
    return this.#producer.partitionCount;
  }

  /** Records taken and not yet in the log. */
  get waitingCount(): number {
    return this.#producer.waitingCount;
  }

  /** Where records of this session go: as Java's default partitioner sends them. */
  partitionFor(id: SessionId): number {
    return partitionOf(checkedKey('partitionFor', id), this.partitionCount);
  }

  /** The session lives: an empty value, the cheapest record there is. */
  beat(id: SessionId, timestamp?: Millis): Promise<void> | undefined {
    return this.send(checkedKey('heartbeats', id), 'beat', timestamp);
  }

  /**
   * The session lives, and something is to be said about it. @throws BadInput for an event that no processor would take,
   * RecordTooLarge for one that the topic does not take, TypeError for a field that there is not.
   */
  event(id: SessionId, event: OutgoingEvent, timestamp?: Millis): Promise<void> | undefined {
    checkEvent(event);
    return this.send(checkedKey('heartbeats', id), event, timestamp);
  }

  /** The session ends here: a null value. */
  end(id: SessionId, timestamp?: Millis): Promise<void> | undefined {
    return this.send(checkedKey('heartbeats', id), 'end', timestamp);
  }

  /** The same for a caller that has made the key once, and knows its event's fields: only values are looked at. */
  send(key: Uint8Array, said: Said, timestamp?: Millis): Promise<void> | undefined {
    const value = said === 'beat' ? NOTHING : said === 'end' ? null : this.#encoder.encode(said);
    return this.#producer.add(timestamp === undefined ? { key, value } : { key, value, timestamp });
  }

  /** Resolves when everything so far is in the log. @throws Retriable, PartitionStopped, Fatal, naming what is not. */
  async flush(): Promise<void> {
    await this.#producer.flush();
    this.#checkRefused();
  }

  /** Takes no more, and flushes. Idempotent. */
  async close(): Promise<void> {
    await this.#producer.close();
    this.#checkRefused();
  }
}

function checkedKey(call: string, id: SessionId): Uint8Array {
  checkSessionId(call, id);
  return keyOf(id);
}

function keyOf(id: SessionId): Uint8Array {
  return typeof id === 'string' ? utf8.encode(id) : id;
}
