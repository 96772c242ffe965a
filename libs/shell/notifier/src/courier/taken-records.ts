// Hands a record of the outputs, or of what is due, to the queues of its partition.
//
// Owns: nothing that changes.
// Does not own: the queues (CourierRun), where records are read.
import type { Millis } from '@flatline/base';
import { afterStranding, type EndpointQueue } from '@flatline/deliveries';
import { isOfAnother, keptRecordOf } from '../records/delivery-record.ts';
import { eventOf } from '../records/output-event.ts';
import type { RawRecord } from '../records/raw-record.ts';
import type { Carried } from './carried.ts';
import { BODY_BYTES_MAX } from './limits.ts';
import type { PendingWrites } from './pending-writes.ts';
import type { Restored } from './restoration.ts';

export interface TakingParts extends Carried {
  /** By endpoint. */
  readonly queues: ReadonlyMap<string, EndpointQueue>;
  readonly pending: PendingWrites;
  readonly restored: Pick<Restored, 'highest'>;
}

export class TakenRecords {
  readonly #parts: TakingParts;
  /** Reasons and types that an endpoint is for; undefined: all. */
  readonly #wanted: ReadonlyMap<string, readonly string[] | undefined>;

  constructor(parts: TakingParts) {
    this.#parts = parts;
    this.#wanted = new Map(parts.ways.map(({ endpoint: { name, on } }) => [name, on]));
  }

  /** Returns the bytes of the bodies that it takes. */
  output(record: RawRecord, now: Millis): number {
    const { notified, partition, log, queues, pending, restored } = this.#parts;
    const { highest } = restored;
    const { name: pipeline, kind } = notified.pipeline;
    const event = eventOf(record, { pipeline, kind, partition });
    if (event === 'none') return 0;
    if ('why' in event) {
      log.warn('a record of the output is none that can be sent', {
        pipeline,
        partition,
        offset: record.offset,
        ...event,
      });
      return 0;
    }
    const { id, type, names, body } = event;
    const common = {
      id,
      key: Buffer.from(record.key!).toString('base64'),
      order: record.offset,
      type,
      body,
      attempts: [],
    };
    let bytes = 0;
    for (const [endpoint, queue] of queues) {
      const on = this.#wanted.get(endpoint);
      if (on !== undefined && !names.some((name) => on.includes(name))) continue;
      const delivery = { ...common, endpoint };
      // A record at or below one that is kept may be kept itself: the position has been put back.
      if (record.offset > highest) pending.come(delivery);
      if (body.length + common.key.length > BODY_BYTES_MAX) pending.add({ kind: 'giveUp', delivery, why: 'too-large' });
      else queue.take(delivery, now);
      bytes += body.length;
    }
    return bytes;
  }

  /** The same of what is due. */
  due({ key, value, headers }: RawRecord, now: Millis): number {
    if (key === null || value === null) return 0;
    const { notified, queues, pending, log, partition } = this.#parts;
    if (isOfAnother(headers, notified.application)) return 0;
    const due = keptRecordOf(key, value, headers);
    if (due.kind === 'delivery') {
      const { delivery } = due;
      const queue = queues.get(delivery.endpoint);
      if (queue === undefined) pending.add(afterStranding(delivery, now));
      else queue.take(delivery, now);
      return delivery.body.length;
    }
    if (due.kind === 'other') return 0;
    const { endpoint } = due;
    const queue = queues.get(endpoint);
    if (queue === undefined) return 0;
    if (due.kind === 'enable') {
      queue.enable(now);
      log.info('an endpoint was enabled', { endpoint, partition });
    }
    // It was only kept, and is kept again.
    pending.add({ kind: 'breaker', endpoint, breaker: queue.breaker });
    return 0;
  }
}
