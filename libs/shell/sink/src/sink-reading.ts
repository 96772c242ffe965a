// Turns a record of an output topic into a row, the end of an incarnation, or nothing.
import { type Clock, type KindName, messageOf, Misconfigured } from '@flatline/base';
import {
  type Beside,
  type OutputKind,
  outputKinds,
  type RawOutput,
  readPatiently,
  type RecordsByKind,
} from '@flatline/client/parts';
import type { Format, SchemaRegistry } from '@flatline/records';
import { KIND_TABLES, type KindTable } from './kind-tables.ts';
import type { Taken } from './sink-batch.ts';
import { storedText } from './stored-value.ts';
import { toldSeldom } from './told-seldom.ts';

interface Surroundings {
  readonly kafka: { readonly clock: Clock };
  readonly registry: SchemaRegistry | undefined;
  /** How the pipeline writes the topic. */
  readonly format: Format;
  readonly topic: string;
  readonly onNote: (note: string) => void;
}

type Output = RecordsByKind[KindName];

/** May have to wait for a registry. */
type Reading = (raw: RawOutput, signal: AbortSignal) => Taken | Promise<Taken>;

/** Schemas that the registry did not know in time. */
const HOPELESS_MAX = 1_000;

/**
 * Reads records of a topic of the kind. A topic of JSON is read as that alone, so that no foreign record makes a registry be
 * asked; one of Avro in both, since its pipeline may have written JSON before. @throws Misconfigured
 */
export function sinkReading(
  name: KindName,
  { kafka: { clock }, registry, format, topic, onNote }: Surroundings,
  onUnreadable: (where: string) => void,
): Reading {
  if (format === 'avro' && registry === undefined)
    throw new Misconfigured(`topic ${topic} is written in Avro: give the configuration a schemaRegistry`);
  const options = { format: format === 'json' ? format : 'auto', registry, clock } as const;
  const kind: Pick<OutputKind<Output>, 'read' | 'readNow'> = outputKinds(options)[name];
  const table: KindTable<never> = KIND_TABLES[name];
  const hopeless = new Set<string>();
  const onDelayed = toldSeldom(clock, onNote);
  const taken = (raw: RawOutput, found: Output | Beside): Taken => {
    const bytes = (raw.key?.length ?? 0) + (raw.value?.length ?? 0);
    const none = { offset: raw.offset, bytes, row: undefined, incarnation: undefined };
    if (found.kind === 'tombstone') {
      const isOf = table.revised !== undefined && found.incarnation !== undefined;
      return isOf ? { ...none, incarnation: storedText(found.incarnation) } : none;
    }
    if (found.kind === 'unreadable') {
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
      isToldOfUnreadable: true,
      onDelayed: (error: unknown) => {
        onDelayed(messageOf(error));
      },
    };
    const schema = schemaOf(raw);
    const patiently = (): Promise<Output | Beside> => readPatiently(raw, patience, signal);
    // A registry that is away is waited for all the same.
    const found = schema !== undefined && hopeless.has(schema) ? kind.read(raw).catch(patiently) : patiently();
    return found.then((each) => {
      if (schema !== undefined && isUnknown(each) && hopeless.size < HOPELESS_MAX) hopeless.add(schema);
      return taken(raw, each);
    });
  };
}

/** The id of a value in Avro, in hexadecimal. */
function schemaOf({ value }: RawOutput): string | undefined {
  return value?.[0] === 0 && value.length >= 5 ? Buffer.from(value.subarray(1, 5)).toString('hex') : undefined;
}

function isUnknown(found: Output | Beside): boolean {
  return found.kind === 'unreadable' && found.reason === 'unknown-schema-id';
}
