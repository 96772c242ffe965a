// Entries that wait in a processor until they are due, read by a read_committed reader of its output.
import type { Millis } from '@flatline/base';
import type { KafkaOptions, ProducedRecord } from '@flatline/kafka';
import type { RecordCursor } from '@flatline/ports';
import { systemClock } from '@flatline/system';
import type { Application } from '../tasks/application.ts';
import { beginParts, type PartsCost, untilLead, untilRead } from '../processor/due-together.ts';
import { Instance } from '../processor/instance.ts';
import type { InstanceTask } from '../tasks/instance-task.ts';
import { OutputReader } from '../output-reader.ts';
import { Tally } from '../tally.ts';
import { writeRecords } from '../writing.ts';
import type { DueGround, Measured, TurnPlan } from './due-contender.ts';
import type { DueStep } from './due-page.ts';
import type { DueLoad } from '../tasks/due-load.ts';

/** A pipeline's way of keeping the entries. */
export interface FlatlineDue {
  readonly task: Pick<InstanceTask, 'section'>;
  /** The entries with those numbers, the last one excluded, each with its instant. */
  records(load: DueLoad, partitions: number, numbers: readonly [from: number, to: number]): Iterable<ProducedRecord>;
  /** Resolves once that many wait there. */
  holds(instance: Instance, all: number): Promise<unknown>;
  /** Calls `see` with the numbers of the entries in an output record. */
  readonly read: (record: RecordCursor, see: (number: number) => void) => void;
}

export async function measureFlatlineDue(
  ground: DueGround,
  application: Application,
  { due, loadFrom, drainMaxMs }: TurnPlan & { readonly due: FlatlineDue },
): Promise<Measured> {
  const { kafka, connection, brokerCpu, partitions } = ground;
  const { topic } = application;
  const instance = await Instance.alone({ ...application, ...due.task });
  const load = loadFrom();
  const { records, others, dueFrom } = load;
  const seen = new DueReader(kafka, application, load, due.read);
  try {
    const empty = (await instance.look()).memory.rssBytes;
    const adding = beginParts(brokerCpu, instance);
    const all = records + others;
    await writeRecords(connection, { topic, records: () => due.records(load, partitions, [0, records]) });
    // A wait counts from when the log has the record: among so many, that would be long after it was made.
    await writeRecords(connection, { topic, records: () => due.records(load, partitions, [records, all]) });
    await due.holds(instance, all);
    const added = adding();
    const pendingBytes = (await instance.look()).memory.rssBytes - empty;
    await untilLead(load.othersFrom);
    await untilLead(dueFrom);
    const draining = beginParts(brokerCpu, instance);
    const whole = { instance, until: dueFrom + drainMaxMs };
    await untilRead(seen, () => seen.tally.count === records, whole);
    const drained = draining();
    await untilRead(seen, () => seen.othersLeft === 0, whole);
    return {
      load,
      added: stepOf(added),
      pendingBytes,
      drained: stepOf(drained),
      drainMs: seen.lastSeenAt - dueFrom,
      count: seen.tally.count,
      twice: seen.tally.twice,
      othersSeenAt: seen.othersSeenAt,
    };
  } finally {
    await seen.close();
    await instance.stop();
  }
}

/** The broker counts as the server, this process as its client. */
function stepOf({ elapsedMs, processorCpuMs, brokerCpuMs, brokerCompilingMs, ownCpuMs }: PartsCost): DueStep {
  return {
    elapsedMs,
    processorCpuMs,
    serverCpuMs: brokerCpuMs,
    ...(brokerCompilingMs !== undefined && { serverCompilingMs: brokerCompilingMs }),
    clientCpuMs: ownCpuMs,
  };
}

class DueReader {
  readonly #reader: OutputReader;
  readonly tally: Tally;
  readonly othersSeenAt: Millis[];
  othersLeft: number;
  lastSeenAt: Millis = 0;

  constructor(
    kafka: KafkaOptions,
    { application, partitions }: Application,
    { records, others }: DueLoad,
    read: FlatlineDue['read'],
  ) {
    this.tally = new Tally(records);
    this.othersSeenAt = new Array<Millis>(others).fill(0);
    this.othersLeft = others;
    const see = (number: number): void => {
      if (number >= records) this.#seeOther(number - records);
      else {
        this.tally.see(number);
        this.lastSeenAt = systemClock.wallMs();
      }
    };
    this.#reader = new OutputReader(kafka, { topic: `${application}.output`, partitions }, (record) => {
      read(record, see);
    });
  }

  get failure(): Error | undefined {
    return this.#reader.failure;
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #seeOther(other: number): void {
    if (this.othersSeenAt[other] !== 0) {
      this.tally.twice += 1;
      return;
    }
    this.othersSeenAt[other] = systemClock.wallMs();
    this.othersLeft -= 1;
  }
}
