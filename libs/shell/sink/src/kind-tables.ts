// The table of each kind: its columns, what names an output for good, and the views for sessions that may be revised (S9).
//
// Times are milliseconds since the epoch, as on the topic: a timestamp from a record may lie beyond what timestamptz takes.
import type { KindName } from '@flatline/base';
import type { RawOutput, RecordsByKind } from '@flatline/client/parts';
import { storedBytes, storedJson, storedMembers, storedText, storedTextOf } from './stored-value.ts';

/** A row, by column. */
export type Row = Readonly<Record<string, unknown>>;

export interface KindTable<Found> {
  /** Names its rows. */
  readonly rows: string;
  readonly columns: Readonly<Record<string, string>>;
  /** The columns that name an output for good (O3): the primary key. */
  readonly identity: readonly string[];
  /** A column by whose hash outputs of a key are found: an index takes no longer text than 2.7 kB otherwise. */
  readonly searched: string;
  /** Conditions of views beside the table, by the ends of their names. */
  readonly views: Readonly<Record<string, string>>;
  readonly rowOf: (found: Found, raw: RawOutput) => Row;
  /** The output as far as a tombstone ends it. undefined: tombstones say nothing of it. */
  readonly revised?: (found: Found) => { readonly incarnation: string; readonly revision: number };
}

type KindTables = { readonly [Kind in KindName]: KindTable<RecordsByKind[Kind]> };

const PLACE = { output_partition: 'integer NOT NULL', output_offset: 'bigint NOT NULL' };
const placeOf = ({ partition, offset }: RawOutput): Row => ({ output_partition: partition, output_offset: offset });

export const KIND_TABLES: KindTables = {
  session: {
    rows: 'summaries of sessions',
    columns: {
      incarnation: 'text NOT NULL',
      revision: 'bigint NOT NULL',
      // Set by the tombstone: nothing more will come (S9).
      final: 'boolean NOT NULL',
      session_id: 'text NOT NULL',
      session_key: 'bytea NOT NULL',
      reason: 'text NOT NULL',
      started_at: 'bigint NOT NULL',
      closed_at: 'bigint NOT NULL',
      event_count: 'bigint NOT NULL',
      summary: 'jsonb NOT NULL',
      ...PLACE,
    },
    identity: ['incarnation', 'revision'],
    searched: 'session_key',
    views: { first: 'revision = 0', final: 'final' },
    rowOf: ({ summary }, raw) => {
      const { key, incarnation, revision, reason, startedAt, closedAt, eventCount, ...more } = summary;
      const session = storedTextOf(key);
      const said = { incarnation, revision, reason, startedAt, closedAt, eventCount };
      return {
        incarnation: storedText(incarnation),
        revision,
        final: false,
        session_id: session,
        session_key: storedBytes(key),
        reason: storedText(reason),
        started_at: startedAt,
        closed_at: closedAt,
        event_count: eventCount,
        summary: storedMembers({ sessionId: session, ...said, ...more }),
        ...placeOf(raw),
      };
    },
    revised: ({ summary: { incarnation, revision } }) => ({ incarnation: storedText(incarnation), revision }),
  },
  lease: {
    rows: 'events of leases',
    columns: {
      lease_id: 'text NOT NULL',
      lease_key: 'bytea NOT NULL',
      type: 'text NOT NULL',
      token: 'bigint',
      reason: 'text',
      at: 'bigint NOT NULL',
      event: 'jsonb NOT NULL',
      ...PLACE,
    },
    // An answer has no name of its own: a request may get the same answer twice.
    identity: ['output_partition', 'output_offset'],
    searched: 'lease_key',
    views: {},
    rowOf: ({ event }, raw) => ({
      lease_id: storedTextOf(raw.key),
      lease_key: storedBytes(raw.key),
      type: storedText(event.type),
      token: event.token ?? null,
      reason: event.reason === undefined ? null : storedText(event.reason),
      at: event.at,
      event: storedMembers(event),
      ...placeOf(raw),
    }),
  },
  debounce: {
    rows: 'batches',
    columns: {
      window_id: 'text NOT NULL',
      reason: 'text NOT NULL',
      part: 'integer NOT NULL',
      item_key: 'text NOT NULL',
      item_key_bytes: 'bytea NOT NULL',
      fired_at: 'bigint NOT NULL',
      batch: 'jsonb NOT NULL',
      ...PLACE,
    },
    identity: ['window_id', 'reason', 'part'],
    searched: 'item_key_bytes',
    views: {},
    rowOf: ({ batch: { items, ...batch } }, raw) => ({
      window_id: storedText(batch.windowId),
      reason: storedText(batch.reason),
      part: batch.part,
      item_key: storedTextOf(raw.key),
      item_key_bytes: storedBytes(raw.key),
      fired_at: batch.firedAt,
      // Without an item's bytes, which say what its value does.
      batch: {
        ...storedMembers(batch),
        items: items.map(({ offset, timestamp, value }) => ({ offset, timestamp, value: storedJson(value) })),
      },
      ...placeOf(raw),
    }),
  },
  schedule: {
    rows: 'runs of schedules',
    columns: {
      schedule: 'text NOT NULL',
      run: 'bigint NOT NULL',
      schedule_id: 'text',
      message_key: 'text NOT NULL',
      message_key_bytes: 'bytea NOT NULL',
      due_at: 'bigint NOT NULL',
      last: 'boolean NOT NULL',
      missed: 'bigint NOT NULL',
      value: 'bytea NOT NULL',
      headers: 'jsonb NOT NULL',
      ...PLACE,
    },
    identity: ['schedule', 'run'],
    searched: 'message_key_bytes',
    views: {},
    rowOf: ({ run }, raw) => ({
      schedule: storedText(run.schedule),
      run: run.number,
      schedule_id: run.scheduleId === undefined ? null : storedText(run.scheduleId),
      message_key: storedTextOf(raw.key),
      message_key_bytes: storedBytes(raw.key),
      due_at: run.dueAt,
      last: run.last,
      missed: run.missed,
      value: storedBytes(run.value),
      headers: run.headers.map(({ name, value }) => [storedText(name), value && storedTextOf(value)]),
      ...placeOf(raw),
    }),
  },
};
