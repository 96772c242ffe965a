// The database's part, on a real PostgreSQL: who may write, once, and what it keeps of hostile outputs.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Misconfigured, PartitionStopped } from '@flatline/base';
import type { RawOutput, RecordsByKind } from '@flatline/client/parts';
import { findPostgresql, Postgresql } from '@flatline/dev-broker/postgresql';
import { systemClock } from '@flatline/system';
import { KIND_TABLES } from './kind-tables.ts';
import { PostgresTarget } from './postgres-target.ts';
import { type BatchPart, SinkBatch } from './sink-batch.ts';
import { tableNameIn } from './table-name.ts';

const programs = findPostgresql();
const NAMES = ['visits', 'other', 'events', 'batches', 'runs', 'gone'];
let database: Postgresql;
const opened: PostgresTarget[] = [];

interface Opening {
  readonly kind?: keyof RecordsByKind;
  readonly table?: string;
  readonly topic?: string;
  readonly topicId?: string;
  readonly create?: boolean;
  readonly url?: string;
}

async function open(opening: Opening = {}): Promise<PostgresTarget> {
  const { kind = 'session', table = 'visits', topic = 'closed', topicId = 'a', create = true, url } = opening;
  const target = await PostgresTarget.open(
    {
      clock: systemClock,
      url: url ?? database.address,
      name: tableNameIn(table, '--table'),
      table: KIND_TABLES[kind],
      topic,
      topicId,
      writer: 'test',
      signal: new AbortController().signal,
      onAway: () => undefined,
    },
    create,
  );
  opened.push(target);
  return target;
}

const raw = (offset: number, key: Uint8Array = Buffer.from('anna')): RawOutput => ({
  partition: 0,
  offset,
  timestamp: 5,
  key,
  value: null,
  headers: [],
});

function summary(
  offset: number,
  change: object = {},
  key: Uint8Array = Buffer.from('anna'),
): BatchPart['rows'][number] {
  const said = { key, incarnation: `0-${offset}`, revision: 0, state: 'CLOSED', reason: 'TIMEOUT', startedAt: 1 };
  const more = { closedAt: 2, eventCount: 3, countsByType: new Map(), attributes: new Map(), ...change };
  const found = {
    kind: 'summary',
    ...raw(offset),
    summary: { ...said, ...more },
  } as unknown as RecordsByKind['session'];
  return KIND_TABLES.session.rowOf(found, raw(offset, key));
}

function part(epoch: string, from: number, rows: BatchPart['rows'], ends: string[] = []): BatchPart {
  return { partition: 0, epoch, from, to: from + Math.max(1, rows.length), rows, ends };
}

function described(): void {
  beforeAll(async () => {
    database = await Postgresql.start(programs!);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((target) => target.close()));
    for (const name of NAMES) database.query(`DROP TABLE IF EXISTS ${name}, ${name}_positions CASCADE`);
  });
  afterAll(() => database.stop());

  test('[O7] rows and position are written together, and a batch that was committed unheard is not written again', async () => {
    const target = await open();
    const { epoch, nextOffset } = await target.claim(0, 4);
    expect([epoch, nextOffset]).toEqual(['1', 4]);
    const batch = [part(epoch, 4, [summary(4), summary(5)])];
    expect(await target.write(batch)).toEqual({ rows: 2, repeated: 0, fenced: [] });
    expect(await target.write(batch)).toEqual({ rows: 0, repeated: 0, fenced: [] });
    expect(database.query('SELECT next_offset, (SELECT count(*) FROM visits) FROM visits_positions')).toEqual(['6|2']);
    expect((await target.claim(0, 0)).nextOffset).toBe(6);
  });

  test('[O7][X4] who claimed a partition before another writes nothing more of it, and of its others all', async () => {
    const [zombie, owner] = [await open(), await open()];
    const before = await zombie.claim(0, 0);
    const besides = await zombie.claim(1, 0);
    await owner.claim(0, 0);
    const parts = [part(before.epoch, 0, [summary(0)]), { ...part(besides.epoch, 0, [summary(7)]), partition: 1 }];
    expect(await zombie.write(parts)).toEqual({ rows: 1, repeated: 0, fenced: [0] });
    expect(database.query('SELECT incarnation FROM visits')).toEqual(['0-7']);
  });

  test('[O7][F3] a claim waits for a batch under way: none is lost between two owners, and none doubled', async () => {
    const [one, two] = [await open(), await open()];
    let at = (await one.claim(0, 0)).nextOffset;
    for (let round = 0; round < 30; round += 1) {
      const [from, to] = round % 2 === 0 ? [one, two] : [two, one];
      const { epoch } = await from.claim(0, 0);
      const [written, claimed] = await Promise.all([from.write([part(epoch, at, [summary(at)])]), to.claim(0, 0)]);
      expect(claimed.nextOffset).toBe(written.fenced.length === 0 ? at + 1 : at);
      at = claimed.nextOffset;
    }
    expect(database.query('SELECT count(*) FROM visits')).toEqual([String(at)]);
  });

  test('[O7] it goes on after the server has ended its connection', async () => {
    const target = await open();
    const { epoch } = await target.claim(0, 0);
    database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'flatline sink'");
    expect(await target.write([part(epoch, 0, [summary(0)])])).toMatchObject({ rows: 1, fenced: [] });
  });

  test('[O7][S9] revisions are rows; the views have the first, and the last once it is final', async () => {
    const target = await open();
    const { epoch } = await target.claim(0, 0);
    const revised = (revision: number): BatchPart['rows'][number] => summary(1, { revision });
    await target.write([part(epoch, 0, [revised(0), revised(1), summary(9)])]);
    await target.write([part(epoch, 3, [revised(2)], [])]);
    expect(database.query('SELECT incarnation, revision FROM visits_final')).toEqual([]);
    await target.write([part(epoch, 4, [], ['0-1', '0-77'])]);
    expect(database.query('SELECT incarnation, revision FROM visits_final')).toEqual(['0-1|2']);
    expect(database.query('SELECT incarnation FROM visits_first ORDER BY 1')).toEqual(['0-1', '0-9']);
  });

  test('[O7][S9] a summary that is there already becomes final by a tombstone that comes in one batch with its repetition', async () => {
    const target = await open();
    const { epoch } = await target.claim(0, 0);
    await target.write([part(epoch, 0, [summary(0)])]);
    const batch = new SinkBatch(1_000_000);
    const repeated = { offset: 1, bytes: 1, row: summary(0), incarnation: '0-0' };
    batch.take({ partition: 0, epoch, from: 1 }, repeated);
    batch.take({ partition: 0, epoch, from: 1 }, { ...repeated, offset: 2, row: undefined });
    expect(await target.write(batch.parts)).toEqual({ rows: 0, repeated: 1, fenced: [] });
    expect(database.query('SELECT incarnation FROM visits_final')).toEqual(['0-0']);
  });

  test('[O7][I3] keys and attributes are kept whatever is in them; what a text cannot hold shows as U+FFFD', async () => {
    const target = await open();
    const { epoch } = await target.claim(0, 0);
    const hostile = Buffer.from([0, 0xff, 0x27, 0x22, 0x5c]);
    const attributes = new Map([
      ['__proto__', "'; DROP TABLE visits; --"],
      ['nul', 'a\0b'],
      ['half', '\ud800'],
      ['\0', '{"a":1}\\u0000'],
    ]);
    const long = Buffer.alloc(20_000, 'k');
    await target.write([part(epoch, 0, [summary(0, { attributes }, hostile), summary(1, {}, long)])]);
    expect(database.query('SELECT session_key FROM visits WHERE length(session_key) = 5')).toEqual(['\\x00ff27225c']);
    expect(database.query(`SELECT session_id FROM visits WHERE incarnation = '0-0'`)).toEqual([`\uFFFD\uFFFD'"\\`]);
    const [found] = database.query(`SELECT summary -> 'attributes' FROM visits WHERE incarnation = '0-0'`);
    expect(JSON.parse(found!, (name, value: unknown) => (name === '__proto__' ? undefined : value))).toEqual({
      nul: 'a\uFFFDb',
      half: '\uFFFD',
      '\uFFFD': '{"a":1}\\u0000',
    });
    expect(database.query(`SELECT summary #>> '{attributes,__proto__}' FROM visits WHERE incarnation = '0-0'`)).toEqual(
      ["'; DROP TABLE visits; --"],
    );
  });

  test('[O7] --create leaves a view as whoever runs the database has made it', async () => {
    await open();
    database.query('CREATE OR REPLACE VIEW visits_final AS SELECT * FROM visits WHERE final AND event_count > 1');
    await open();
    const [found] = database.query("SELECT pg_get_viewdef('visits_final'::regclass)::text LIKE '%event_count > 1%'");
    expect(found).toBe('t');
  });

  test('[O7][I3] items of any depth and numbers of any size are kept, as text where jsonb cannot hold them', async () => {
    const target = await open({ kind: 'debounce', table: 'batches' });
    const { epoch } = await target.claim(0, 0);
    const deep = JSON.stringify({ a: 1 }).padStart(20_007, '[').padEnd(40_007, ']');
    const most = '['.repeat(512).padEnd(1_024, ']');
    const items = [deep, most, '[1e999,-1e999]'].map((text, offset) => ({
      offset,
      value: JSON.parse(text) as unknown,
    }));
    const batch = { windowId: '0-3', reason: 'QUIET', part: 0, firedAt: 9, items };
    const row = KIND_TABLES.debounce.rowOf({ batch } as never, raw(1));
    expect(await target.write([part(epoch, 0, [row])])).toMatchObject({ rows: 1 });
    const kept = database.query(
      "SELECT jsonb_typeof(item -> 'value'), length(item ->> 'value'), left(item ->> 'value', 15) " +
        "FROM batches, jsonb_array_elements(batch -> 'items') AS item",
    );
    const opening = '['.repeat(15);
    expect(kept).toEqual([`string|40007|${opening}`, `array|1024|${opening}`, 'array|25|["Infinity", "-']);
  });

  test('[O7] of a row that the table refuses the record is named, and nothing of its batch is written', async () => {
    const target = await open();
    const { epoch } = await target.claim(0, 0);
    database.query("ALTER TABLE visits ADD CHECK (reason <> 'ENDED')");
    const refused = target.write([part(epoch, 0, [summary(0), summary(1, { reason: 'ENDED' }), summary(2)])]);
    await expect(refused).rejects.toThrow(PartitionStopped);
    await expect(refused).rejects.toThrow(/"public"."visits" refuses the record at closed-0-1: .*\(SQLSTATE 23514\)/);
    expect(database.query('SELECT count(*) FROM visits')).toEqual(['0']);
  });

  test('[O7] a row that a trigger of the database refuses is no database that is away', async () => {
    const target = await open();
    const { epoch } = await target.claim(0, 0);
    const raise = "BEGIN IF NEW.reason = 'ENDED' THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END";
    database.query(`CREATE OR REPLACE FUNCTION refuse_visits() RETURNS trigger LANGUAGE plpgsql AS $$ ${raise} $$`);
    database.query('CREATE TRIGGER refuse BEFORE INSERT ON visits FOR EACH ROW EXECUTE FUNCTION refuse_visits()');
    const refused = target.write([part(epoch, 0, [summary(0), summary(1, { reason: 'ENDED' })])]);
    await expect(refused).rejects.toThrow(/"public"."visits" refuses the record at closed-0-1: .*\(SQLSTATE P0001\)/);
  });

  test('[O7] a batch whose position is refused is not written either', async () => {
    const target = await open();
    const { epoch } = await target.claim(0, 0);
    database.query('ALTER TABLE visits_positions ADD CHECK (next_offset < 2)');
    const refused = target.write([part(epoch, 0, [summary(0), summary(1)])]);
    await expect(refused).rejects.toThrow(/"public"."visits" refuses a batch: .*\(SQLSTATE 23514\)/);
    expect(database.query('SELECT count(*) FROM visits')).toEqual(['0']);
  });

  test.each<readonly [string, Opening, RegExp]>([
    ['a table that is not there', { create: false, table: 'gone' }, /SQLSTATE 42P01\): run it once with --create/],
    ['a database that is not there', { url: 'none' }, /SQLSTATE 3D000\): create the database, or correct its name/],
    [
      'outputs of another topic',
      { topic: 'others' },
      /has outputs of topic closed: give --table another name for others/,
    ],
  ])('[I4] %s is said with its remedy', async (_, { url, ...opening }, message) => {
    const first = await open();
    await first.claim(0, 0);
    const elsewhere = url === undefined ? {} : { url: database.address.replace('/postgres?', `/${url}?`) };
    const refused = open({ ...opening, ...elsewhere });
    await expect(refused).rejects.toThrow(Misconfigured);
    await expect(refused).rejects.toThrow(message);
  });

  test('[O7] a topic that was made again is not gone on with', async () => {
    await (await open()).claim(0, 0);
    await expect((await open({ topicId: 'b' })).claim(0, 0)).rejects.toThrow(/was deleted and created again since/);
  });

  test('[O7] leases, batches and runs have tables of their own, by what names them for good', async () => {
    const event = { type: 'GRANTED', token: 7, at: 3, reason: undefined, attributes: new Map([['a', 'b']]) };
    const batch = { windowId: '0-3', reason: 'QUIET', part: 0, firedAt: 9, items: [{ offset: 1, value: { a: 1 } }] };
    const run = { schedule: '0-9', number: 2, scheduleId: undefined, dueAt: 8, last: true, missed: 0 };
    const rows = {
      events: KIND_TABLES.lease.rowOf({ event } as never, raw(1)),
      batches: KIND_TABLES.debounce.rowOf({ batch } as never, raw(1)),
      runs: KIND_TABLES.schedule.rowOf({ run: { ...run, value: Buffer.from('hi'), headers: [] } } as never, raw(1)),
    };
    for (const [table, kind] of [
      ['events', 'lease'],
      ['batches', 'debounce'],
      ['runs', 'schedule'],
    ] as const) {
      const target = await open({ kind, table });
      const { epoch } = await target.claim(0, 0);
      expect(await target.write([part(epoch, 0, [rows[table], rows[table]])])).toMatchObject({ rows: 1, repeated: 1 });
    }
    expect(database.query("SELECT lease_id, token, event #>> '{attributes,a}' FROM events")).toEqual(['anna|7|b']);
    expect(database.query("SELECT item_key, batch #> '{items,0,value}' FROM batches")).toEqual(['anna|{"a": 1}']);
    expect(database.query("SELECT schedule, run, convert_from(value, 'UTF8') FROM runs")).toEqual(['0-9|2|hi']);
  });
}

if (programs === undefined)
  test('NOT RUN, for want of /usr/lib/postgresql/*/bin/initdb (install postgresql): a sink in PostgreSQL', () => {
    expect(programs).toBeUndefined();
  });
else describe('a sink in PostgreSQL', described);
