// What a record of an output topic becomes: a row, the end of an incarnation, or nothing.
import { type Clock, type KindName, messageOf, Misconfigured } from '@flatline/base';
import {
  type Beside,
  type OutputKind,
  outputKinds,
  type RawOutput,
  readPatiently,
  type RecordsByKind,
} from '@flatline/client/parts';
import type { SchemaRegistry } from '@flatline/records';
import { KIND_TABLES, type KindTable } from './kind-tables.ts';
import type { Taken } from './sink-batch.ts';
import { storedText } from './stored-value.ts';
import { toldSeldom } from './told-seldom.ts';

interface Surroundings {
  readonly kafka: { readonly clock: Clock };
  readonly registry: SchemaRegistry | undefined;
  readonly topic: string;
  readonly onNote: (note: string) => void;
}

type Output = RecordsByKind[KindName];

/** May have to wait for a registry. */
type Reading = (raw: RawOutput, signal: AbortSignal) => Taken | Promise<Taken>;

/** What a record of a topic of the kind becomes. */
export function sinkReading(
  name: KindName,
  { kafka: { clock }, registry, topic, onNote }: Surroundings,
  onUnreadable: (where: string) => void,
): Reading {
  const kind: Pick<OutputKind<Output>, 'read' | 'readNow'> = outputKinds({ format: 'auto', registry, clock })[name];
  const table: KindTable<never> = KIND_TABLES[name];
  const onDelayed = toldSeldom(clock, onNote);
  const taken = (raw: RawOutput, found: Output | Beside): Taken => {
    const bytes = (raw.key?.length ?? 0) + (raw.value?.length ?? 0);
    const none = { offset: raw.offset, bytes, row: undefined, incarnation: undefined };
    if (found.kind === 'tombstone') {
      const isOf = table.revised !== undefined && found.incarnation !== undefined;
      return isOf ? { ...none, incarnation: storedText(found.incarnation) } : none;
    }
    if (found.kind === 'unreadable') {
      if (found.reason === 'no-schema-registry')
        throw new Misconfigured(`topic ${topic} is written in Avro: give the configuration a schemaRegistry`);
      onUnreadable(`the record at ${topic}-${raw.partition}-${raw.offset}: ${found.reason}: ${found.detail}`);
      return none;
    }
    if (found.kind === 'update' || found.kind === 'receipt') return none;
    // It is of the table's kind.
    const output = found as never;
    return { ...none, row: table.rowOf(output, raw), incarnation: table.revised?.(output).incarnation };
  };
  return (raw, signal) => {
    const now = kind.readNow?.(raw);
    if (now !== undefined) return taken(raw, now);
    const patience = {
      clock,
      topic,
      kind,
      isToldOfUnreadable: false,
      onDelayed: (error: unknown) => {
        onDelayed(messageOf(error));
      },
    };
    return readPatiently(raw, patience, signal).then((found) => taken(raw, found));
  };
}
