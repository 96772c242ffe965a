// A row per session with an index on its deadline: upserts of whole batches, and a statement that moves the rows that are due.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const CLOSES_MAX = 1_000;

const UPSERT = {
  name: 'upsert',
  text: `
    INSERT INTO session AS known (id, first_seen, last_seen, deadline, beats)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
    ON CONFLICT (id) DO UPDATE SET
      last_seen = greatest(known.last_seen, excluded.last_seen),
      deadline = greatest(known.deadline, excluded.deadline),
      beats = known.beats + excluded.beats`,
};

const CLOSE = {
  name: 'close',
  text: `
    WITH gone AS (
      DELETE FROM session WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM session WHERE deadline <= $1 ORDER BY deadline LIMIT ${CLOSES_MAX} FOR UPDATE SKIP LOCKED))
      RETURNING id, first_seen, last_seen, deadline, beats),
    kept AS (INSERT INTO closed (id, first_seen, last_seen, deadline, beats) SELECT * FROM gone RETURNING seq)
    SELECT count(*)::int AS closes, pg_notify('closed', '') FROM kept HAVING count(*) > 0`,
};

/** Workers that look for what is due, side by side. */
const TAKERS = 2;

const ADD = {
  name: 'add',
  text: 'INSERT INTO message (id, due, value) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])',
};

const TAKE = {
  name: 'take',
  text: `
    DELETE FROM message WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM message WHERE due <= $1 ORDER BY due LIMIT ${CLOSES_MAX} FOR UPDATE SKIP LOCKED))
    RETURNING id, value`,
};

const TABLES = `
  CREATE TABLE IF NOT EXISTS message (id bigint NOT NULL, due bigint NOT NULL, value text NOT NULL);
  CREATE INDEX IF NOT EXISTS message_due ON message (due);
  CREATE TABLE IF NOT EXISTS session (
    id text COLLATE "C" PRIMARY KEY,
    first_seen bigint NOT NULL, last_seen bigint NOT NULL, deadline bigint NOT NULL, beats bigint NOT NULL);
  CREATE INDEX IF NOT EXISTS session_deadline ON session (deadline);
  CREATE TABLE IF NOT EXISTS closed (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL, first_seen bigint NOT NULL, last_seen bigint NOT NULL, deadline bigint NOT NULL, beats bigint NOT NULL)`;

export async function open({ port, user, partitions, timeoutOf }) {
  // One for each partition, one to close.
  const pool = new pg.Pool({ host: '127.0.0.1', port, user, database: 'postgres', max: partitions + 1 });
  await pool.query(TABLES);
  return {
    closesMax: CLOSES_MAX,
    apply: (events) => pool.query({ ...UPSERT, values: columnsOf(events, timeoutOf) }),
    closeSilent: async (now) => (await pool.query({ ...CLOSE, values: [now] })).rows[0]?.closes ?? 0,
    watch: (onClose) => follow(pool, onClose),
    add: (messages) => pool.query({ ...ADD, values: messageColumns(messages) }),
    drain: (onDue, pollEveryMs) => Promise.all(Array.from({ length: TAKERS }, () => take(pool, onDue, pollEveryMs))),
  };
}

/** Hands due jobs over by the statement that deletes them: to be sure of each, a worker would have to do both in one transaction. */
async function take(pool, onDue, pollEveryMs) {
  for (;;) {
    const { rows } = await pool.query({ ...TAKE, values: [Date.now()] });
    for (const { id } of rows) onDue(Number(id));
    if (rows.length < CLOSES_MAX) await delay(pollEveryMs);
  }
}

function messageColumns(messages) {
  const all = [...messages];
  return [all.map(({ id }) => id), all.map(({ dueAt }) => dueAt), all.map(({ value }) => value)];
}

/** One row per session: a statement may touch each only once. */
function columnsOf(events, timeoutOf) {
  const rows = new Map();
  for (const { id, at } of events) {
    const row = rows.get(id);
    if (row === undefined) rows.set(id, { first: at, last: at, beats: 1 });
    else {
      row.last = at;
      row.beats += 1;
    }
  }
  const all = [...rows];
  return [
    all.map(([id]) => id),
    all.map(([, { first }]) => first),
    all.map(([, { last }]) => last),
    all.map(([id, { last }]) => last + timeoutOf(id)),
    all.map(([, { beats }]) => beats),
  ];
}

async function follow(pool, onClose) {
  const client = await pool.connect();
  let seen = 0;
  let reading = Promise.resolve();
  const read = async () => {
    const { rows } = await client.query('SELECT seq, id, deadline FROM closed WHERE seq > $1 ORDER BY seq', [seen]);
    for (const { id, deadline } of rows) onClose(id, Number(deadline));
    seen = rows.at(-1)?.seq ?? seen;
  };
  client.on('notification', () => {
    reading = reading.then(read);
  });
  await client.query('LISTEN closed');
}
