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
import { type Millis, partitionOf, utf8Of } from '@flatline/base';
import type { Format, SchemaRegistry } from '@flatline/records';
import { type EventEncoder, openEventEncoder, type OutgoingEvent } from '@flatline/records/events';
import { checkEvent, checkSessionId } from './known-options.ts';
import { RecordProducer, type RecordProducerOptions } from './record-producer.ts';

/** A session id: text becomes UTF-8, bytes stay as they are. */
export type SessionId = string | Uint8Array;

/** A record's value, or what is encoded as it. */
export type Said = 'beat' | 'end' | OutgoingEvent;

export interface HeartbeatProducerOptions extends RecordProducerOptions {
  /** How values of `event` are written. Default `json`; bare heartbeats have no value in either. */
  readonly format?: Format;
  /** Needed for Avro. */
  readonly registry?: SchemaRegistry | undefined;
}

const NOTHING = new Uint8Array(0);

/** @throws Fatal where the topic does not exist, or Avro has no registry; Retriable where broker or registry do not answer. */
export async function openHeartbeatProducer(options: HeartbeatProducerOptions): Promise<HeartbeatProducer> {
  const { topic, format = 'json', registry } = options;
  const encoder = await openEventEncoder(format, topic, registry);
  return new HeartbeatProducer(await RecordProducer.open(options), encoder);
}

/**
 * `timestamp` is for topics with `message.timestamp.type=CreateTime`, where the record's time is the producer's: default
 * now. On `LogAppendTime` topics the broker's replaces it.
 */
export class HeartbeatProducer {
  readonly #producer: RecordProducer;
  readonly #encoder: EventEncoder;

  constructor(producer: RecordProducer, encoder: EventEncoder) {
    this.#producer = producer;
    this.#encoder = encoder;
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
  flush(): Promise<void> {
    return this.#producer.flush();
  }

  /** Takes no more, and flushes. Idempotent. */
  close(): Promise<void> {
    return this.#producer.close();
  }
}

function checkedKey(call: string, id: SessionId): Uint8Array {
  checkSessionId(call, id);
  return keyOf(id);
}

function keyOf(id: SessionId): Uint8Array {
  return typeof id === 'string' ? utf8Of(id) : id;
}
