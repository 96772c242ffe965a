// Reads a record as soon as what it needs is there: a registry that is away, or does not know its schema yet, is asked again.
//
// A registry may answer 404 for a schema that its record's writer has just registered: replicas lag behind, and one that is
// restored knows less for a while. Such a record may be an output like any other. It is waited for with growing pauses, up to
// UNKNOWN_SCHEMA_MS; its partition stands still meanwhile, the others go on. After that the application has the last word: with
// `onUnreadable` it is told, and the record is passed over; without, the reading ends, and the group stands before the record.
import { type Clock, type DurationMs, Retriable } from '@flatline/base';
import { BackOff, pause } from '@flatline/system';
import type { Beside, OutputKind } from './output-kinds.ts';
import type { RawOutput, UnreadableRecord } from './output-record.ts';

export interface PatientParts<Found> {
  readonly clock: Clock;
  readonly topic: string;
  readonly kind: Pick<OutputKind<Found>, 'read'>;
  /** Told each time that a record cannot be read yet. */
  readonly onDelayed: (error: Retriable) => void;
  /** True if the application is told of records that are passed over in the end. */
  readonly isToldOfUnreadable: boolean;
}

/** Between questions to a registry that does not answer. */
const READ_AGAIN_MS: DurationMs = 1_000;
/** Between questions for a schema that the registry does not know. */
const ASK_AGAIN = { firstMs: 1_000, mostMs: 30_000 };
/** Longest that a registry may take to learn of a schema. */
const UNKNOWN_SCHEMA_MS: DurationMs = 600_000;
const UNKNOWN_SCHEMA_MINUTES = UNKNOWN_SCHEMA_MS / 60_000;
const WAITING = `Its partition waits for that, ${UNKNOWN_SCHEMA_MINUTES} minutes at most.`;

/** @throws Retriable as soon as `signal` is aborted, or where the registry never learns of the schema. */
export async function readPatiently<Found extends { readonly kind: string }>(
  raw: RawOutput,
  parts: PatientParts<Found>,
  signal: AbortSignal,
): Promise<Found | Beside> {
  const { clock, kind, onDelayed } = parts;
  const backOff = new BackOff(ASK_AGAIN);
  let unknownSinceMs: DurationMs | undefined;
  for (;;) {
    const found = await kind.read(raw).catch(retriable);
    if (!(found instanceof Retriable)) {
      if (!mayBeKnownLater(found, raw)) return found;
      unknownSinceMs ??= clock.monotonicMs();
      if (clock.monotonicMs() - unknownSinceMs >= UNKNOWN_SCHEMA_MS) return given(found, parts);
    }
    const isAway = found instanceof Retriable;
    const delayed = isAway ? found : new Retriable(`${whereOf(found, parts)} ${WAITING}`);
    if (signal.aborted) throw delayed;
    onDelayed(delayed);
    await pause(clock, isAway ? READ_AGAIN_MS : backOff.nextDelayMs(), signal);
  }
}

/** @throws what no second try would mend. */
function retriable(error: unknown): Retriable {
  if (error instanceof Retriable) return error;
  throw error;
}

/** Registries give ids of 31 bits, so one with the highest bit is no id of theirs, now or later. */
function mayBeKnownLater(found: { readonly kind: string }, { value }: RawOutput): found is UnreadableRecord {
  const isUnknown = found.kind === 'unreadable' && (found as UnreadableRecord).reason === 'unknown-schema-id';
  return isUnknown && (value?.[1] ?? 0) < 0x80;
}

/** @throws Retriable where no one is told of what is passed over. */
function given(record: UnreadableRecord, parts: Pick<PatientParts<never>, 'topic' | 'isToldOfUnreadable'>): Beside {
  if (parts.isToldOfUnreadable) return record;
  throw new Retriable(
    `${whereOf(record, parts)} It has been asked for ${UNKNOWN_SCHEMA_MINUTES} minutes, and the group stands before this record: ` +
      'register its schema there, correct schemaRegistryUrl, or give onUnreadable to pass it over',
  );
}

function whereOf({ partition, offset, detail }: UnreadableRecord, { topic }: { readonly topic: string }): string {
  return `${detail} (${topic}-${partition}-${offset}).`;
}
