// Leases over a log in memory, and a test that answers.
import { type Clock, Retriable } from '@flatline/base';
import { type SimulatedHost, Simulation } from '@flatline/cluster';
import type { KeyedRecord } from '@flatline/kafka';
import { LeaseEventFormats } from '@flatline/records/leases';
import { HeldLeases } from './leases.ts';

export const SETTINGS = { clockSkewMs: 100, answerWithinMs: 30_000, topic: 'asks', answers: 'answers' };

/** Leases over a log in memory: what is asked lies in `asked`, and the test answers. */
export class World {
  readonly simulation = new Simulation({ seed: 1 });
  readonly asked: (KeyedRecord & { readonly said: string })[] = [];
  readonly leases: HeldLeases;
  readonly host: SimulatedHost;
  readonly clock: Clock;
  registryIsAway = false;
  /** It answers, and does not know the schema of what is read. */
  schemaIsUnknown = false;
  /** Records sent are not acknowledged. */
  holdsBack = false;

  constructor(answerWithinMs = 30_000) {
    const { host, ports } = this.simulation.start('a');
    this.host = host;
    const { clock, reader } = ports;
    this.clock = clock;
    const { time, log } = this.simulation;
    log.createTopic('answers', { partitions: 1 });
    let ids = 0;
    const write = (record: KeyedRecord): Promise<number> => {
      const header = new TextDecoder().decode(record.headers![0]!.value);
      this.asked.push({
        ...record,
        said: `${record.value === null ? 'end' : record.value.length ? 'start' : 'beat'} ${header}`,
      });
      return this.holdsBack ? new Promise(() => undefined) : Promise.resolve(time.nowMs);
    };
    this.leases = new HeldLeases({ ...SETTINGS, answerWithinMs, clock, write, newRequestId: () => `r${ids++}` });
    const formats = new LeaseEventFormats({ format: 'auto', registry: undefined, clock });
    const readOrWhy = (value: Uint8Array): ReturnType<LeaseEventFormats['readOrWhy']> => {
      if (this.registryIsAway) return Promise.reject(new Retriable('the registry is away'));
      if (!this.schemaIsUnknown) return formats.readOrWhy(value);
      return Promise.resolve({ kind: 'bad', reason: 'unknown-schema-id', detail: 'no schema 7' });
    };
    this.leases.follow(reader, 'answers', new Map([[0, 0]]), { readOrWhy }).catch((error: unknown) => {
      this.leases.fail(error);
    });
  }

  get said(): string[] {
    return this.asked.map(({ said }) => said);
  }

  async answer(type: string, fields: Readonly<Record<string, unknown>>): Promise<void> {
    const at = this.simulation.time.nowMs;
    const event = { type, leaseId: 'a', partition: 0, at, attributes: {}, ...fields };
    this.simulation.log.produce('answers', 0, { key: 'a', value: JSON.stringify(event) });
    await this.simulation.time.runFor(200);
  }

  grant(token: number, requestId: string, timeoutMs = 3_000): Promise<void> {
    const at = this.simulation.time.nowMs;
    return this.answer('GRANTED', {
      token,
      requestId,
      timeoutMs,
      grantedAt: at,
      deadlineAt: at + timeoutMs,
      renewals: 0,
    });
  }
}
