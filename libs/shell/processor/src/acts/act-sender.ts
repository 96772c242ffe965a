// Sends acts to the inputs of this process's pipelines (Q4).
//
// Owns: how many are under way.
// Does not own: what an act is, who may act (the HTTP side).
import { type Clock, type DurationMs, messageOf, Retriable } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import { BatchProducer, type KafkaOptions, openCluster } from '@flatline/kafka';
import type { RuntimeLog } from '@flatline/runtime';
import { withinDeadline } from '@flatline/system';
import { type ActOutcome, type AskedAct, recordsOf, type SentRecord, UNSURE } from './act.ts';

export interface ActSenderParts {
  readonly pipelines: FlatlineConfig['pipelines'];
  readonly kafka: KafkaOptions;
  readonly clock: Clock;
  readonly log: RuntimeLog;
}

/** Acts under way in a process: each has a connection of its own. */
const UNDER_WAY_MAX = 8;
/** Whoever asked waits. */
const SENT_WITHIN_MS: DurationMs = 10_000;

export class ActSender {
  readonly #parts: ActSenderParts;
  #underWay = 0;

  constructor(parts: ActSenderParts) {
    this.#parts = parts;
  }

  /** undefined: there is no such pipeline. */
  async send(asked: AskedAct): Promise<ActOutcome | undefined> {
    const { pipelines, log } = this.#parts;
    const pipeline = pipelines.find(({ name }) => name === asked.pipeline);
    if (pipeline === undefined) return undefined;
    if (this.#underWay >= UNDER_WAY_MAX)
      return { kind: 'busy', why: `nothing was sent: ${UNDER_WAY_MAX} acts are under way; ask again` };
    this.#underWay += 1;
    const outcome = await this.#append(pipeline, asked).finally(() => {
      this.#underWay -= 1;
    });
    // Who did it, to what: an audit is made of these lines and the records themselves.
    log.info('an operator acts', { ...factsOf(asked), ...outcome });
    return outcome;
  }

  async #append(pipeline: FlatlineConfig['pipelines'][number], asked: AskedAct): Promise<ActOutcome> {
    const { kafka, clock } = this.#parts;
    const { topic } = pipeline.input;
    const connection = openCluster(kafka);
    const records: SentRecord[] = [];
    const onAcknowledged = (partition: number, offset: number): void => {
      records.push({ partition, offset });
    };
    const append = async (): Promise<ActOutcome> => {
      const deliveryTimeoutMs = SENT_WITHIN_MS;
      const producer = await BatchProducer.open({ clock, connection, topic, onAcknowledged, deliveryTimeoutMs });
      const wanted = recordsOf(pipeline, asked, producer.partitionCount);
      if (typeof wanted !== 'string') await producer.send(wanted);
      await producer.close();
      if (typeof wanted === 'string') return { kind: 'refused', why: wanted };
      return { kind: 'sent', topic, records: records.sort((one, other) => one.partition - other.partition) };
    };
    const sending = append();
    try {
      return await withinDeadline(clock, SENT_WITHIN_MS, sending, () => new Retriable('the brokers do not answer'));
    } catch (error) {
      const known =
        records.length === 0 ? '' : `; acknowledged by partitions ${records.map(({ partition }) => partition).join()}`;
      return {
        kind: 'unsure',
        why: `${UNSURE}: ${messageOf(error)}${known}`,
      };
    } finally {
      connection.close();
      // Acts that were given up fail with the connection, and were told.
      sending.catch(() => undefined);
    }
  }
}

function factsOf({ pipeline, act, key, scheduleId, evicts, from, who }: AskedAct): Record<string, unknown> {
  return {
    pipeline,
    act,
    ...(key && { key: Buffer.from(key).toString() }),
    ...(scheduleId !== undefined && { scheduleId }),
    ...evicts,
    who,
    from,
  };
}
