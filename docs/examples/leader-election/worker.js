// A worker that leads while it holds a lease, and whose writes PostgreSQL refuses once another one leads.
//
//   npm ci && npm install …/flatline-client-<version>.tgz     # of `npm run pack`
//   node worker.js NAME BROKERS REQUESTS ANSWERS DATABASE
//   node worker.js worker-1 127.0.0.1:9092 leader-requests leaders postgres://localhost/shop
//
// REQUESTS and ANSWERS are input and output of the pipeline that docs/LEASES.md begins with, which a processor runs. The tables, before any worker comes; the fence is the greatest token that was ever seen:
//
//   CREATE TABLE fence (token bigint NOT NULL); INSERT INTO fence VALUES (0);
//   CREATE TABLE report (line bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, token bigint NOT NULL, writer text NOT NULL);
import { connect } from '@flatline/client';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const LEASE = 'nightly-report';
const WORK_MS = 700;

/** By whoever leads from now on, before it looks at what there is: from here on no earlier one writes. */
const RAISE = 'UPDATE fence SET token = $1 WHERE token < $1';

/** Fence and write are one statement, which waits for another's and then looks again. No row: refused. */
const WRITE = `
  WITH let_through AS (UPDATE fence SET token = $1 WHERE token <= $1 RETURNING token)
  INSERT INTO report (token, writer) SELECT token, $2 FROM let_through`;

const [name, brokers, requests, answers, database] = process.argv.slice(2);
if (database === undefined) throw new Error('usage: node worker.js NAME BROKERS REQUESTS ANSWERS DATABASE');
const say = (what) => process.stdout.write(`${name} ${what}\n`);
const postgresql = new pg.Client(database);
await postgresql.connect();
const client = connect({ brokers: brokers.split(',') });
const leases = await client.leases({ topic: requests, answers });
const lease = await leases.acquire(LEASE);
const { token } = lease;
await postgresql.query(RAISE, [token]);
say(`leads with ${token}`);
let isRefused = false;
while (lease.isHeld && !isRefused) {
  // A process that stands still here does not know that its lease is gone: nothing but the database stops its next write.
  await delay(WORK_MS);
  const { rowCount } = await postgresql.query(WRITE, [token, name]);
  isRefused = rowCount === 0;
  say(isRefused ? 'was refused' : 'wrote');
}
await client.close();
await postgresql.end();
